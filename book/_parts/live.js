// @ts-check
// What every page of the book runs.

import "../../course_attn/drawing/questions.js";
import "./exercise/exercise.js";
import "./progress/progress.js";
import "./scratch/scratch.js";
import "./writing/writing.js";
