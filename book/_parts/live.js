// @ts-check
// What every page of the book runs.

import "./exercise/exercise.js";
import "./folds/folds.js";
import "../../course_attn/drawing/questions.js";
import "./progress/progress.js";
import "./scratch/scratch.js";
import "./writing/writing.js";
