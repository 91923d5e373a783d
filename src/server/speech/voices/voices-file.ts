import { readFileSync } from 'node:fs';
import { describeIssue, issuesOf } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { StartError } from '../../environment.ts';
import { SPOKEN_LANGUAGES } from '../languages.ts';

const language = z.literal([...SPOKEN_LANGUAGES]);
const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));

/** A voice of the file. A name alone is a voice of the speech server. */
const entry = z.union([
  name,
  z.strictObject({
    /** A voice of the catalogue that is spoken by another one, or a new voice; the voice's name unless given. */
    handle: z.optional(z.string().check(z.regex(/^\S{1,200}$/))),
    engine: z.optional(z.literal(['espeak', 'openai'])),
    /** The speech server's name of it. */
    voice: z.optional(name),
    name: z.optional(name),
    sex: z.optional(z.literal(['male', 'female', 'neutral'])),
    age: z.optional(z.literal(['young', 'middle_aged', 'old'])),
    languages: z.optional(z.tuple([language], language)),
    description: z.optional(z.string().check(z.maxLength(2000))),
    /** Further fields of the requests. */
    parameters: z.optional(z.record(z.string(), z.unknown())),
  }),
]);

const content = z.array(entry).check(z.minLength(1), z.maxLength(1000));

/** A voice of the file, as an object. */
export type VoiceEntry = Exclude<z.output<typeof entry>, string>;

/** Reads `VOICEWIRE_VOICES`. Throws a StartError. */
export function readVoicesFile(path: string): readonly VoiceEntry[] {
  const invalid = (why: string) => new StartError(`VOICEWIRE_VOICES: ${path} ${why}.`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw invalid(`cannot be read (${code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('is no JSON');
  }
  const read = content.safeParse(value);
  if (read.success) return read.data.map((each) => (typeof each === 'string' ? { voice: each } : each));
  const [issue] = issuesOf(read.error, value);
  throw invalid(`is not valid: ${issue ? describeIssue(issue) : 'expected a list of voices'}`);
}
