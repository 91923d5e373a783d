import type { Endpoint } from '../core/endpoint.ts';
import type { Finding, Linter } from '../core/rule.ts';
import { openLinter } from '../rules.ts';

/** Small recordings, written down as what happens in them. */

/** `ms`: since the thing before it. */
export type Step =
  | { out: object | string | Uint8Array; ms?: number; on?: number }
  | { in: object | string | Uint8Array; ms?: number; on?: number }
  | { open: true; address?: string; ms?: number; on?: number }
  | { close: number; ms?: number; on?: number }
  /** Nothing happens. */
  | { pass: number };

export const out = (payload: object | string | Uint8Array, ms = 10): Step => ({ out: payload, ms });
export const into = (payload: object | string | Uint8Array, ms = 10): Step => ({ in: payload, ms });

const payloadOf = (message: object | string | Uint8Array): string | Uint8Array =>
  typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);

/** Feeds a recording to a linter. @returns everything that it finds */
export function lint(linter: Linter, steps: readonly Step[]): Finding[] {
  const findings: Finding[] = [];
  let atUs = 0;
  let index = 0;
  for (const step of steps) {
    if ('pass' in step) {
      atUs += step.pass * 1000;
      findings.push(...linter.pass(atUs));
      continue;
    }
    atUs += (step.ms ?? 10) * 1000;
    const moment = { index, atUs, connection: step.on ?? 1 };
    index += 1;
    if ('open' in step) findings.push(...linter.opened(moment, step.address));
    else if ('close' in step) findings.push(...linter.closed({ ...moment, code: step.close }));
    else if ('out' in step)
      findings.push(...linter.feed({ ...moment, direction: 'out', payload: payloadOf(step.out) }));
    else findings.push(...linter.feed({ ...moment, direction: 'in', payload: payloadOf(step.in) }));
  }
  return findings;
}

/** The same with a linter of that endpoint. */
export const lintOn = (endpoint: Endpoint, steps: readonly Step[]): Finding[] =>
  lint(openLinter(endpoint.id), steps);
