import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'want 64 lower-case hexadecimal digits');

const graphSchema = z.strictObject({
  /** Path below the folder of the manifest. */
  file: z.string().regex(/^[\w-]+(\/\w[\w.-]*)+\.onnx$/, 'want a path like face/name.onnx'),
  /** Hash of the file's bytes; checked whenever the file is loaded. */
  sha256,
  /** Where a file that is not part of the repository is downloaded from. */
  url: z.url({ protocol: /^https$/ }).optional(),
});

const rulesSchema = graphSchema
  .omit({ url: true })
  .extend({ file: z.string().regex(/^[\w-]+(\/\w[\w.-]*)+\.json$/, 'want a path like meter/rules.json') });

const modelSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  /** What it can serve. */
  task: z.string().min(1),
  version: z.string().min(1),
  /** Run in this order; each takes its inputs by name from the call and from the graphs before it. */
  graphs: z.array(graphSchema).min(1),
  licence: z.string().min(1),
  /** Its author and sources. */
  source: z.string().min(1),
  /** The required pixel format. */
  input: z.string().min(1),
  /** What a score means and how the numbers that depend on it were chosen. */
  calibration: z.string().min(1),
  /** Numbers of the rule that uses the model; the feature knows their names. */
  settings: z.record(z.string(), z.number()).default({}),
  /** A file with the feature's rules for using the model, if they are more than numbers. */
  rules: rulesSchema.optional(),
});

const manifestSchema = z
  .strictObject({
    /** Task → name of the model that serves it. */
    serve: z.record(z.string(), z.string()),
    models: z.array(modelSchema),
  })
  .superRefine(({ serve, models }, context) => {
    const names = models.map((model) => model.name);
    for (const name of names.filter((n, i) => names.indexOf(n) !== i)) {
      context.addIssue({ code: 'custom', path: ['models'], message: `two models "${name}"` });
    }
    for (const [task, name] of Object.entries(serve)) {
      if (models.some((model) => model.name === name && model.task === task)) continue;
      const message = `no model "${name}" for ${task}`;
      context.addIssue({ code: 'custom', path: ['serve', task], message });
    }
  });

/** The available models, and which of them serve. */
export type Manifest = z.infer<typeof manifestSchema>;
export type ModelEntry = Manifest['models'][number];
/** What is needed to open a model. */
export type ModelFiles = Pick<ModelEntry, 'name' | 'graphs'>;
export type PinnedFile = z.infer<typeof graphSchema>;

/** That of this installation, `models/manifest.json`; the files are in its folder or below. */
export const manifestUrl = new URL('../../../../models/manifest.json', import.meta.url);

/** Reads and validates `manifest.json`. @throws Error that names the file and every mistake */
export async function loadManifest(file: URL): Promise<Manifest> {
  const text = await readFile(file, 'utf8');
  try {
    return parseManifest(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${fileURLToPath(file)}: ${(cause as Error).message}`, { cause });
  }
}

/** Validates a manifest. @throws Error that names every mistake */
export function parseManifest(value: unknown): Manifest {
  return parseModelFile(manifestSchema, value, 'the model manifest');
}

/** The model that serves a task. @throws Error if the manifest names none */
export function modelFor({ serve, models }: Manifest, task: string): ModelEntry {
  const entry = models.find(({ name }) => name === serve[task]);
  if (entry === undefined) throw new Error(`the model manifest serves nothing for ${task}`);
  return entry;
}

/** Validates the contents of a model file, which is `what`. @throws Error that names it and every mistake */
export function parseModelFile<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`mistakes in ${what}:\n${z.prettifyError(parsed.error)}`);
}
