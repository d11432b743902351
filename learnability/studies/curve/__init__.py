"""Learning curves: both annotations on growing parts of the training data."""

from learnability.studies.declaration import Declaration

DECLARATION = Declaration(
    name="curve",
    study="learnability.studies.curve.study:CurveStudy",
    summary="Draw learning curves: which annotation needs less data?",
    help="""Train on 1/16, 1/8, 1/4 and 1/2 of the training data of a finished run, too.

    The answer is which annotation is learned better on average over the amounts of data, and how much of it
    one annotation needs to reach what the other reaches with all. learning_curve.json and a section of the
    report are added to the folder of the run.
    """,
    example="learnability curve runs/UD_Irish",
)
