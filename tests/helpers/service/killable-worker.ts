import '../../../core-server/worker-main.js';
import { parentPort } from 'node:worker_threads';
import { stage } from '../pictures/scripted-pictures.js';

// The real worker, which ends in the middle of its first job; the one that takes its place does not.

parentPort?.on('message', (message: { type: string; task: string }) => {
  if (message.type !== 'run') return;
  const isFirst = !stage.isReleased(message.task);
  stage.tellBegun(message.task);
  // In a later turn, when the job is under way: its picture is read and decoded in other threads.
  if (isFirst) setImmediate(() => process.exit(3));
});
