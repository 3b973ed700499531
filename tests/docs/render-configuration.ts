import type { z } from 'zod';
import { settings as coreSettings } from '../../core-server/compose/config.js';
import { settings as facadeSettings } from '../../rest-facade/config.js';
import type { SettingMeta } from '../../runtime/settings/read-settings.js';

const tableHead = ['| variable | default | meaning |', '|---|---|---|'];

/** The configuration reference, generated from the settings of both processes: docs/configuration.md. */
export function renderConfiguration(): string {
  return [
    '# Configuration reference',
    'Generated from `core-server/compose/config.ts` and `rest-facade/config.ts` by `npm run docs`. Settings ' +
      'are environment variables; an empty one counts as unset. If any are invalid, a process reports all of ' +
      'them at once and does not start.',
    '## Core',
    table(rowsOf(coreSettings)),
    '## Facade',
    table(rowsOf(facadeSettings)),
    '## Other variables',
    table([
      '| `OTEL_EXPORTER_OTLP_ENDPOINT` | unset | Where to send traces, by OTLP over HTTP. Other supported `OTEL_*` variables: [Traces](observability.md#traces). |',
      '| `ORT_DISABLE_TELEMETRY` | 1 | 0 lets onnxruntime send telemetry to its vendor. |',
    ]),
  ].join('\n\n');
}

function rowsOf(settings: z.ZodObject): string[] {
  const defaults = settings.parse({}) as Record<string, string | number | undefined>;
  return Object.entries(settings.shape).map(([name, setting]) => {
    const { description = 'undescribed' } = setting as z.ZodType;
    const { shownDefault } = ((setting as z.ZodType).meta() ?? {}) as SettingMeta;
    const value = String(shownDefault ?? defaults[name] ?? 'unset');
    return `| \`${name}\` | ${value} | ${description} |`;
  });
}

function table(rows: readonly string[]): string {
  return [...tableHead, ...rows].join('\n');
}
