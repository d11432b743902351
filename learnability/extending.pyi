# All that an extension may import, by what it is for. The page docs/extending.md shows these lines.

# ## Declare an extension
# what an extension brings, each part as `module:object`
from .support.plugins import Extension as Extension

# a study: its command, its options, what it takes
from .studies.declaration import Declaration as Declaration

# what the command of a study does in place of it
from .studies.declaration import Instead as Instead

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

# what compiles kernels before cells run
from .running.cell import WarmUp as WarmUp

# compiles the kernels of a parser
from .comparing.cells import warm_up_parser as warm_up_parser

# a tree that is large enough to call every kernel
from .parsing.parser import SMALL as SMALL

# the training, development and test trees of a cell
from .comparing.fold import Fold as Fold

# the trees that a cell trains on, stops by and tests on
from .comparing.fold_trees import Sets as Sets

# the options of all trainings
from .comparing.options import ExperimentOptions as ExperimentOptions

# what reading the treebanks of a run showed
from .comparing.plan import RunPlan as RunPlan

# what a run has computed
from .running.records import Records as Records

# a line of records.jsonl
from .running.records import Record as Record

# what a training has recorded
from .comparing.results import TrainingResult as TrainingResult

# carries out a whole comparison
from .api import run_experiment as run_experiment

# calls a function in several processes
from .running.processes import map_in_processes as map_in_processes

# where the treebanks of a finished run are
from .studies.experiment_arguments import treebanks_of_run as treebanks_of_run

# ## Find and read treebanks
# what names a treebank
from .comparing.options import TreebankSelection as TreebankSelection

# the files of a treebank
from .treebanks.locate import TreebankFiles as TreebankFiles

# the files of a file, folder, commit or release
from .annotation_diffs.naming import files_named as files_named

# the treebanks in folders
from .treebanks.locate import list_treebanks as list_treebanks

# the files of a treebank by its name
from .treebanks.locate import locate_treebank as locate_treebank

# the name of several treebanks together
from .treebanks.locate import join_titles as join_titles

# a folder in a git repository, and its commits
from .treebanks.commits import Checkout as Checkout

# the releases of UD
from .treebanks.releases import known_releases as known_releases

# a release as it is written, checked
from .treebanks.releases import release_number as release_number

# sorts releases
from .treebanks.labels import release_key as release_key

# what a treebank is called in another release
from .treebanks.releases import other_name as other_name

# training, development and test sentences
from .treebanks.sentence import Treebank as Treebank

# a tree with its lines in a file
from .treebanks.sentence import Sentence as Sentence

# words with tags, heads and relations
from .treebanks.sentence import Tree as Tree

# the heads of many trees in arrays
from .metrics.flat import FlatTrees as FlatTrees

# a file that was read
from .treebanks.conllu_io import ConlluFile as ConlluFile

# how files are read
from .treebanks.conllu_io import Reading as Reading

# reads a file
from .treebanks.conllu_io import read_conllu as read_conllu

# writes sentences of a file
from .treebanks.conllu_writing import write_conllu as write_conllu

# sentences as CoNLL-U
from .treebanks.conllu_writing import conllu_text as conllu_text

# a sentence with another tree
from .treebanks.conllu_writing import with_tree as with_tree

# the bytes of a file with other lines
from .treebanks.conllu_writing import replace_lines as replace_lines

# refuses a file without MISC
from .treebanks.conllu_io import check_misc as check_misc

# the cells of the lines of a file
from .treebanks.conllu_io import word_cells as word_cells

# changes enhanced graphs as trees change
from .treebanks.enhanced import follow_trees as follow_trees

# a word of a cycle of heads
from .treebanks.conllu_io import find_cycle as find_cycle

# names of sentences, each its own
from .treebanks.sentence import distinct_names as distinct_names

# sentences that occur in other sets
from .treebanks.copies import find_copies as find_copies

# the same number for sentences with the same words
from .treebanks.copies import number_groups as number_groups

# an order in which copies stand together
from .treebanks.splits import CopyOrder as CopyOrder

# pairs sentences of two versions
from .treebanks.alignment import matching_sentences as matching_sentences

# ## Labels
# how a treebank uses labels
from .treebanks.sentence import Conventions as Conventions

# finds out how trees use labels
from .treebanks.labels import detect_conventions as detect_conventions

# a relation without its subtype
from .treebanks.labels import universal as universal

# a relation as LAS reads it
from .metrics.scores import scored_label as scored_label

# a relation of version 1 as version 2 names it
from .treebanks.labels import to_v2 as to_v2

# the relations of version 2
from .treebanks.labels import V2 as V2

# the relations of punctuation
from .treebanks.labels import PUNCT as PUNCT

# whether a value of a column says anything
from .treebanks.sentence import is_specified as is_specified

# the tags that a parser reads
from .parsing.encoding import tags_seen as tags_seen

# ## Train, parse and learn
# our parser, trained in this process
from .parsing.parser import Parser as Parser

# trains a tagger, and tags
from .parsing.tagger import predict_tags as predict_tags

# how the graph-based parser sees trees of others
from .parsers.assessed_trees import assess_trees as assess_trees

# the best heads of words, with the best relations there
from .parsers.assessed_trees import ScoredArcs as ScoredArcs

# makes features of words from templates, and learns from them
from .parsers.word_reader import WordReader as WordReader

# trains on the trees of a cell, and scores
from .comparing.trainings import train_and_score as train_and_score

# scatters integers, for hashes
from .parsing.features import scatter as scatter

# groups of items that are near each other
from .statistics.clusters import find_clusters as find_clusters

# ## Rules and differences
# a construction
from .transforms.base import Rule as Rule

# the construction of a name
from .transforms.registry import get_transformation as get_transformation

# all constructions by name
from .transforms.registry import known_transformations as known_transformations

# converts parses back
from .transforms.base import invert_all as invert_all

# the only rule of a scheme file
from .comparing.scheme_rule import SchemeRule as SchemeRule

# an annotation of a text
from .annotation_diffs.version import Version as Version

# the version of a file, folder or release
from .annotation_diffs.naming import version_named as version_named

# what differs between two versions
from .annotation_diffs.annotation_diff import compare_versions as compare_versions

# what differs between annotations of sentences
from .comparing.found_groups import compared_sentences as compared_sentences

# words that differ in the same way
from .annotation_diffs.groups import Group as Group

# such a group as records keep it
from .comparing.stored_groups import StoredGroup as StoredGroup

# a group as it was before it was stored
from .comparing.found_groups import group_of as group_of

# words that have to change together
from .multiref.contrasts import linked_changes as linked_changes

# where a word is, seen from another one
from .annotation_diffs.changes import place_of as place_of

# a query of Grew for words with an arc
from .annotation_diffs.grew import query_of_arcs as query_of_arcs

# a query of Grew for words with a value
from .annotation_diffs.grew import query_of_values as query_of_values

# ## Count words
# the words of treebanks as columns of numbers
from .regularities.word_table import WordTable as WordTable

# the contexts of words by some columns
from .regularities.counts import Contexts as Contexts

# numbers that are equal where columns are
from .regularities.counts import number_together as number_together

# the columns of contexts, from general to special
from .regularities.contexts import contexts_for as contexts_for

# the context of a word
from .regularities.contexts import context_of as context_of

# a context in words
from .regularities.contexts import describe_context as describe_context

# a query of Grew for the words of a context
from .regularities.queries import query_of_context as query_of_context

# a value in a column, of which contexts consist
from .regularities.contexts import ColumnValue as ColumnValue

# ## Scores and answers
# UAS, LAS or CLAS
from .metrics.scores import Score as Score

# the score that is looked at first: UAS
from .metrics.scores import FIRST_SCORE as FIRST_SCORE

# the scores by which answers are given
from .metrics.scores import answered_scores as answered_scores

# a difference of scores with its interval
from .evidence.score_differences import Difference as Difference

# the difference of two sums of scores
from .evidence.score_differences import compare_sums as compare_sums

# Holm's correction
from .evidence.score_differences import correct_differences as correct_differences

# which of two is ahead
from .statistics.inference import Side as Side

# an answer as reports give it
from .evidence.questions import Answer as Answer

# the fewest changes that are tested
from .metrics.scores import FEWEST_PLACES as FEWEST_PLACES

# the fewest sentences that are tested
from .metrics.scores import FEWEST_SENTENCES as FEWEST_SENTENCES

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

# two trees to draw below each other
from .reports.examples import TreePair as TreePair

# a sentence that a section draws
from .reports.trees import DrawnSentence as DrawnSentence

# draws two trees
from .reports.trees import drawn_pair as drawn_pair

# a table of groups that differ
from .reports.annotation_diffs.tables import groups_table as groups_table

# a paragraph on what differs
from .reports.annotation_diffs.changelog import changelog as changelog

# the name of a group
from .reports.annotation_diffs.descriptions import title_of as title_of

# where a head moved, in words
from .reports.annotation_diffs.descriptions import movement_of as movement_of

# the scheme file of a learned rule
from .reports.annotation_diffs.rules import scheme_of as scheme_of

# a learned rule as on the command line
from .reports.annotation_diffs.rules import spelled as spelled

# an interval in words
from .reports.verdicts import describe_interval as describe_interval

# a number with its noun
from .support.nouns import count_noun as count_noun

# names with `and` before the last
from .reports.text import enumerate_names as enumerate_names

# a value in a table
from .reports.text import format_cell as format_cell

# a number with its sign
from .reports.text import format_signed as format_signed

# a number of points
from .reports.text import points as points

# whether a text runs from right to left
from .reports.trees import is_right_to_left as is_right_to_left

# fills the template of a page
from .reports.rendering import render as render

# ## Write files and messages
# wrong usage or input: exit code 2
from .errors import InputError as InputError

# a run that failed: exit code 1
from .errors import RunError as RunError

# words the errors of the system
from .errors import explain_errors as explain_errors

# a column of a file
from .evidence.columns import Column as Column

# columns with their meanings
from .evidence.columns import columns_of_topic as columns_of_topic

# the columns of a file of decisions
from .evidence.columns import columns_of_decisions as columns_of_decisions

# rows as CSV
from .evidence.columns import csv_bytes as csv_bytes

# a text as the name of a file
from .support.files import as_name as as_name

# writes a file as a whole
from .support.files import write_atomically as write_atomically

# prints values as JSON
from .reports.text import print_json as print_json

# prints a line
from .support.terminal import print_line as print_line

# a text without control characters
from .support.terminal import visible as visible

# the path of an installed program
from .support.programs import find_program as find_program

# runs a program with a limit of time
from .support.programs import run_command as run_command
