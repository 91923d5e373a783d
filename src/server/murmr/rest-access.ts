import { bearerIn } from '../keys.ts';
import { onLeave, RETRY_AFTER, Refused, type RestContext } from '../rest.ts';
import { type Access, MAX_REQUESTS_PER_KEY, type RequestPass } from './access.ts';

/** An error in the vendor's form (`facts 7`). */
export const refusal = (status: number, error: string): Refused => new Refused(status, { error });

/** A refusal of a client that may come again soon. */
export const busy = (status: number, error: string): Refused => new Refused(status, { error }, RETRY_AFTER);

/** The key of a request; empty without one. */
export const bearerOf = (c: RestContext): string => bearerIn(c.env.incoming.headers) ?? '';

/** Admits one generation of a text until its client has left, and charges it. Throws like `admitRequest`. */
export async function admitGeneration(
  c: RestContext,
  access: Access,
  { text }: { text: string },
): Promise<void> {
  const { spend, leave } = await admitRequest(c, access);
  onLeave(c, leave);
  spend(text.length);
}

/** Admits one generation. Throws the refusal of the key (`facts 7`; `errors.md`). */
export async function admitRequest(c: RestContext, access: Access): Promise<RequestPass> {
  const admitted = await access.request(bearerOf(c));
  if ('leave' in admitted) return admitted;
  const { refusal: denied } = admitted;
  if (denied.why === 'unknown key') throw refusal(401, 'Invalid API key');
  if (denied.why === 'no credits') throw refusal(429, 'Usage limit exceeded.');
  if (denied.why === 'busy') throw busy(503, denied.message);
  const { message, active } = denied;
  const error = {
    type: 'rate_limit_exceeded',
    message,
    concurrent_limit: MAX_REQUESTS_PER_KEY,
    concurrent_active: active,
  };
  // The SDK reads the headers, the documentation shows the fields.
  throw new Refused(
    429,
    { error },
    {
      ...RETRY_AFTER,
      'X-Concurrent-Limit': `${MAX_REQUESTS_PER_KEY}`,
      'X-Concurrent-Active': `${active}`,
    },
  );
}
