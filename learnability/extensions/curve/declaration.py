"""Declare the study of learning curves."""

from learnability.studies.declaration import Declaration

DECLARATION = Declaration(
    name="curve",
    study="learnability.extensions.curve.study:CurveStudy",
    summary="Draw learning curves: which annotation needs less data?",
    help="""Also train on 1/16, 1/8, 1/4 and 1/2 of the training data of a finished run.

    The report says which annotation parsers learn better, averaged over the amounts of data. It also says how
    much data one annotation needs to reach the score of the other with all data. learning_curve.json and a
    section of the report are added to the folder of the run.
    """,
    example="learnability curve runs/UD_Irish",
)
