import type { FaceTasks } from '../features/face/task.js';
import type { MeterTasks } from '../features/meter/task.js';

/** Everything that the workers can do. A feature adds its tasks here and their handlers in `worker-main.ts`. */
export type AnalysisTasks = FaceTasks & MeterTasks;
