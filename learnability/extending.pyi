# All that an extension may import, by what it is for. The page docs/extending.md shows these lines.

# ## Declare an extension
# what an extension brings, each part as `module:object`
from .support.plugins import Extension as Extension

# a study: its command, its options, what it takes
from .studies.declaration import Declaration as Declaration

# the heading under which help lists a command
from .support.headings import Heading as Heading

# a field of a dataclass that is an option
from .support.options import option as option

# ## Compute and record
# which cells to compute, and what comes out
from .studies.study import Study as Study

# a unit of work on a treebank
from .running.cell import Cell as Cell

# a cell that trains a parser of the run
from .comparing.cells import ComparisonCell as ComparisonCell

# a cell that keeps the files of treebanks in the records
from .comparing.kept_files import FilesCell as FilesCell

# the study of `run`
from .studies.main.study import MainStudy as MainStudy

# what a study compares if nothing is named
from .studies.declaration import SEVEN as SEVEN

# what compiles kernels before cells run
from .running.cell import WarmUp as WarmUp

# the training, development and test trees of a cell
from .comparing.fold import Fold as Fold

# the trees that a cell trains on, stops by and tests on
from .comparing.fold_trees import Sets as Sets

# the options of all trainings
from .comparing.options import ExperimentOptions as ExperimentOptions

# what reading the treebanks of a run showed
from .comparing.plan import RunPlan as RunPlan

# what config.json says of a run
from .running.config import RunConfig as RunConfig

# what a run has computed
from .running.records import Records as Records

# what a training has recorded
from .comparing.results import TrainingResult as TrainingResult

# where the treebanks of a finished run are
from .studies.experiment_arguments import treebanks_of_run as treebanks_of_run

# ## Find and read treebanks
# what names a treebank
from .comparing.options import TreebankSelection as TreebankSelection

# the files of a treebank
from .treebanks.locate import TreebankFiles as TreebankFiles

# a folder in a git repository, and its commits
from .treebanks.commits import Checkout as Checkout

# the releases of UD: their numbers and order
from .treebanks.releases import Release as Release

# training, development and test sentences
from .treebanks.sentence import Treebank as Treebank

# a tree with its lines in a file
from .treebanks.sentence import Sentence as Sentence

# words with tags, heads and relations
from .treebanks.sentence import Tree as Tree

# the heads of many trees in arrays
from .metrics.flat import FlatTrees as FlatTrees

# a file that was read, and its bytes with other lines
from .treebanks.conllu_io import ConlluFile as ConlluFile

# reads a file
from .treebanks.conllu_io import read_conllu as read_conllu

# writes sentences of a file
from .treebanks.conllu_writing import write_conllu as write_conllu

# changes enhanced graphs as trees change
from .treebanks.enhanced import follow_trees as follow_trees

# sentences that occur in other sets
from .treebanks.copies import find_copies as find_copies

# which sentences are copies, and an order in which these stand together
from .treebanks.splits import CopyOrder as CopyOrder

# pairs sentences of two versions
from .treebanks.alignment import matching_sentences as matching_sentences

# reads a treebank
from .treebanks.splits import read_treebank as read_treebank

# the treebanks below a folder
from .treebanks.locate import list_treebanks as list_treebanks

# the language of a treebank, and the family of this language
from .treebanks.families import origin_of_treebank as origin_of_treebank

# ## Labels
# a relation without its subtype
from .treebanks.labels import universal as universal

# a relation of version 1 as version 2 names it
from .treebanks.labels import to_v2 as to_v2

# which arcs the universal guidelines rule out
from .treebanks.guidelines import Guidelines as Guidelines

# finds the errors that changes of sentences bring
from .treebanks.sentence_checks import SentenceChecker as SentenceChecker

# whether a value of a column says anything
from .treebanks.sentence import is_specified as is_specified

# ## Train, parse and learn
# our parser, trained in this process
from .parsing.parser import Parser as Parser

# trains a tagger, and tags
from .parsing.tagger import predict_tags as predict_tags

# how the graph-based parser sees trees of others
from .parsers.assessed_trees import assess_trees as assess_trees

# the best heads of words, with the best relations there
from .parsers.assessed_trees import ScoredArcs as ScoredArcs

# learns values of a column, and what other words should have
from .parsers.classified_words import ClassifiedWords as ClassifiedWords

# groups of items that are near each other
from .statistics.text_variance import find_clusters as find_clusters

# ## Rules and differences
# the construction of a name
from .transforms.registry import get_transformation as get_transformation

# all constructions by name
from .transforms.registry import known_transformations as known_transformations

# an annotation of a text: a treebank, sentences, what a name means
from .annotation_diffs.version import Version as Version

# what differs between two versions
from .annotation_diffs.annotation_diff import compare_versions as compare_versions

# words that differ in the same way, as records keep them
from .annotation_diffs.difference_kinds import Group as Group

# ## Count words
# the words of treebanks as columns of numbers
from .regularities.word_table import WordTable as WordTable

# the contexts of words by some columns
from .regularities.contexts import Contexts as Contexts

# what words have in common: in words, as a query of Grew
from .regularities.contexts import Context as Context

# a word that differs from nearly all words of a context, with a reason
from .regularities.exceptions import Exceptional as Exceptional

# ## Scores and answers
# UAS, LAS or CLAS, and those by which answers are given
from .metrics.scores import Score as Score

# a difference of scores, its interval, and the correction for several
from .evidence.score_differences import Difference as Difference

# the trees on which two parsers are compared
from .evidence.score_differences import ScoringBasis as ScoringBasis

# the comparison of a construction in a treebank
from .evidence.rows import ComparisonRow as ComparisonRow

# which of two is ahead
from .statistics.inference import Side as Side

# the fewest sentences and changes that are tested
from .metrics.scores import FEWEST as FEWEST

# ## Report
# files, sections and values of a study
from .reports.content import Outcome as Outcome

# the first sentences of a report
from .reports.content import PageHeader as PageHeader

# a part of a report
from .reports.section import Section as Section

# rows under headings
from .reports.text import Table as Table

# a cell that is sorted by another value than it shows
from .reports.text import TableCell as TableCell

# a picture with its data
from .reports.figures import Figure as Figure

# the colours of figures
from .reports.figures import Colour as Colour

# a table of groups that differ
from .reports.annotation_diffs.tables import groups_table as groups_table

# a paragraph on what differs
from .reports.annotation_diffs.changelog import changelog as changelog

# how far a side is ahead, in words
from .reports.verdicts import describe_size as describe_size

# a number with its noun
from .support.nouns import count_noun as count_noun

# names with `and` before the last
from .reports.text import enumerate_names as enumerate_names

# a number with its sign
from .reports.text import format_signed as format_signed

# a page on which somebody decides about proposals
from .reports.decision_page import DecisionPage as DecisionPage

# words that speak for or against proposals
from .reports.decision_page import WordExamples as WordExamples

# ## Write files and messages
# wrong usage or input: exit code 2
from .errors import InputError as InputError

# a run that failed: exit code 1
from .errors import RunError as RunError

# columns of a file with their meanings, and rows as CSV
from .evidence.columns import Column as Column

# a text as the name of a file
from .support.files import as_name as as_name

# writes a file as a whole
from .support.files import write_atomically as write_atomically

# prints values as JSON
from .reports.text import print_json as print_json

# prints a line
from .support.terminal import print_line as print_line
