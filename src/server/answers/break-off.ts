import type { ServerResponse } from 'node:http';

const reasons = new WeakMap<ServerResponse, string>();

/** Breaks the connection of an answer that cannot be completed. @param why for people, after "the answer was broken off:" */
export function breakOff(response: ServerResponse, why: string): void {
  if (!reasons.has(response)) reasons.set(response, why);
  response.destroy();
}

/** Why the server broke an answer off; null where it did not. */
export const whyBrokenOff = (response: ServerResponse): string | null => reasons.get(response) ?? null;
