"""The sentences of the worked examples."""

from __future__ import annotations

from transform_trees import tree

LIVES = tree("She lives in the big city .", "2 0 6 6 6 2 2", "nsubj root case det amod obl punct")
CAFE = tree("The cafe up beside the lookout", "2 0 6 6 6 2", "det root case case det nmod")
CHAIR = tree("the Chair 's office", "2 4 2 0", "det nmod case root")
MIDNIGHT = tree("He left right before midnight .", "2 0 5 5 2 2", "nsubj root advmod case obl punct")
UM_HERUM = tree("um 10 Uhr herum kam er", "3 3 5 3 0 5", "case nummod obl case root nsubj")
SAYS = tree("He says that you like to swim", "2 0 5 5 2 7 5", "nsubj root mark nsubj ccomp mark xcomp")
RAINED = tree("I left only because it rained .", "2 0 6 6 6 2 2", "nsubj root advmod mark nsubj advcl punct")
BOOKS = tree("All these three books fell", "4 4 4 5 0", "det det nummod nsubj root")
JOHN = tree("the book of John fell", "2 5 4 2 0", "det nsubj case nmod root")
IVAN = tree("Ivan is the best dancer", "5 5 5 5 0", "nsubj cop det amod root")
NICE = tree("Is he nice ?", "3 3 0 3", "cop nsubj root punct")
INJURED_V1 = tree("She could have been injured", "5 5 5 5 0", "nsubjpass aux aux auxpass root")
INJURED_V2 = tree("She could have been injured", "5 5 5 5 0", "nsubj:pass aux aux aux:pass root")
SUE = tree(
    "I think that Sue is in shape today", "2 0 7 7 7 7 2 7", "nsubj root mark nsubj cop case ccomp obl"
)
SPITE_V1 = tree("We left in spite of the rain", "2 0 7 3 3 7 2", "nsubj root case mwe mwe det nmod")
SPITE_V2 = tree("We left in spite of the rain", "2 0 7 3 3 7 2", "nsubj root case fixed fixed det obl")
HILLARY_V1 = tree("Hillary Rodham Clinton won", "4 1 1 0", "nsubj name name root")
HILLARY_V2 = tree("Hillary Rodham Clinton won", "4 1 1 0", "nsubj flat flat root")
DWAYNE = tree('Dwayne " The Rock " Johnson left', "7 4 4 1 4 1 0", "nsubj punct det flat punct flat root")

_LABELS = "nsubj root obj punct conj punct conj punct cc conj punct"
_FRUIT = "We have apples , pears , oranges , and bananas ."
FRUIT_V1 = tree(_FRUIT, "2 0 2 3 3 3 3 3 3 3 2", _LABELS)
FRUIT_V2 = tree(_FRUIT, "2 0 2 5 3 7 3 10 10 3 2", _LABELS)
_KISSED = "He met her and kissed her today ."
KISSED_V1 = tree(_KISSED, "2 0 2 2 2 5 2 2", "nsubj root dobj cc conj dobj nmod:tmod punct")
KISSED_V2 = tree(_KISSED, "2 0 2 5 2 5 2 2", "nsubj root obj cc conj obj obl:tmod punct")
DOGS_V1 = tree("dogs and cats and mice slept", "6 1 1 1 1 0", "nsubj cc conj cc conj root")
DOGS_V2 = tree("dogs and cats and mice slept", "6 3 1 5 1 0", "nsubj cc conj cc conj root")
NESTED = tree("apples and pears or plums", "0 1 1 3 3", "root cc conj cc conj")
MIRRORED = tree("elma ve armut", "3 3 0", "conj cc root")
MIRRORED_THREE = tree("elma ve armut ve muz", "5 5 5 5 0", "conj cc conj cc root")
EITHER_SIDE = tree("a b and c", "0 4 4 1", "root conj cc conj")
ASYNDETIC = tree("came , saw , won .", "0 3 1 5 1 1", "root punct conj punct conj punct")
MIRRORED_CLAUSES = tree("Ali geldi , gitti .", "4 4 4 0 4", "nsubj conj punct root punct")
BROTHER = tree("My brother , Tom , left .", "2 6 4 2 4 0 6", "nmod:poss nsubj punct appos punct root punct")
ANN = tree("Ann , who sings , left .", "6 4 4 1 4 0 6", "nsubj punct nsubj acl:relcl punct root punct")
GO = tree('" Go ! " he said .', "2 6 2 2 6 0 6", "punct ccomp punct punct nsubj root punct")
AND_OR = tree("a and or b", "0 1 1 1", "root cc cc conj")
