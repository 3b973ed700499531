import type { Line } from './features.js';

const barWidth = 24;

/** The progress of a run over some pictures in one line: a bar, the count, the rate and the time left. */
export function progressLine(
  progress: Readonly<Record<'total' | 'skipped' | 'answered' | 'failed' | 'elapsedMs', number>>,
): string {
  const { total, skipped, answered, failed, elapsedMs } = progress;
  const done = skipped + answered + failed;
  const share = Math.min(1, done / total);
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

/** What became of the pictures of a run: `ok`, `check`, with and without faces; refusals by reason. */
export function createSummary() {
  const outcomes = new Map<string, number>();
  const refusals = new Map<string, number>();
  const textOf = (counts: Map<string, number>) => [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  return {
    add({ error, status, result, faces: redacted }: Line): void {
      const faces = (Array.isArray(result) ? result.length : Number(redacted)) > 0 ? 'with faces' : 'without faces';
      const [counts, name] = error ? [refusals, error.reason] : [outcomes, typeof status === 'string' ? status : faces];
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    text(): string {
      const refused = refusals.size > 0 ? [`refused: ${textOf(refusals)}`] : [];
      return [...(outcomes.size > 0 ? [textOf(outcomes)] : []), ...refused].join('; ');
    },
  };
}
