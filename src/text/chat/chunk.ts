import { z } from '#protocol/core/zod.ts';
import { errorIn, parsedJson } from '../api/api-server.ts';

/** The fields of a streamed chunk that are read. Servers add others, and leave these out where they have nothing. */
const chunkSchema = z.object({
  choices: z.array(
    z.object({
      delta: z.optional(z.nullable(z.object({ content: z.optional(z.nullable(z.string())) }))),
      finish_reason: z.optional(z.nullable(z.string())),
    }),
  ),
});

export type ChunkReading =
  /** `finish`: the model ended its answer, and why. */
  { text: string; finish: string | null } | { error: string } | { problem: string };

/** Reads the data of one event. The first choice counts. */
export function readChunk(json: string): ChunkReading {
  const error = errorIn(json);
  if (error !== null) return { error };
  const value = parsedJson(json);
  if (value === undefined) return { problem: `An event is no JSON: ${json.slice(0, 100)}` };
  const { data, error: issues } = chunkSchema.safeParse(value);
  if (!data) {
    const [issue] = issues.issues;
    const path = (issue?.path ?? []).map((part) =>
      typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
    );
    return {
      problem: `An event is no chunk of a chat completion, at “${path.join('').replace(/^\./, '')}”.`,
    };
  }
  const [choice] = data.choices;
  return { text: choice?.delta?.content ?? '', finish: choice?.finish_reason || null };
}
