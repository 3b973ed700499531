/** Progress of a run. */
export interface Progress {
  readonly total: number;
  readonly skipped: number;
  readonly answered: number;
  readonly failed: number;
  readonly elapsedMs: number;
}

const barWidth = 24;

/** One line: a bar, the count, the rate and the time left. */
export function progressLine(progress: Progress): string {
  const { total, skipped, answered, failed, elapsedMs } = progress;
  const done = skipped + answered + failed;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const perSecond = (answered + failed) / Math.max(elapsedMs / 1000, 0.001);
  const left = perSecond > 0 && done < total ? `, ${toClock((total - done) / perSecond)} left` : '';
  const before = skipped > 0 ? `, ${skipped} done before` : '';
  const failures = failed > 0 ? `, ${failed} failed` : '';
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(share * 100)}% ${done}/${total}, ${perSecond.toFixed(1)}/s${before}${failures}${left}`;
}

function toClock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${String(whole % 60).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}
