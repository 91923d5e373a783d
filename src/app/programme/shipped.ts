import { z } from '#protocol/core/zod.ts';
import { numbered, type Programme, programmeSchema } from './programme.ts';
import contents from './shipped.json' with { type: 'json' };

/** The programmes that come with the page. Their numbers are below 0, those of a person's own above. */
export const SHIPPED: readonly Programme[] = z
  .array(programmeSchema)
  .parse(contents)
  .map((content, at) => numbered(-1 - at, content));
