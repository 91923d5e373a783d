import type { RuleEntry } from '../core/rule.ts';

/** Rules that hold on every endpoint. */
export const SHARED_RULES = {
  'not-json': {
    group: 'shape',
    severity: 'violation',
    title: 'Text message that is no JSON object',
    why: 'Every text message is one JSON object; the other side can do nothing with this one.',
    source: 'facts 1.3.1, facts 6.3.6, decision 5',
  },
  'new-field': {
    group: 'shape',
    severity: 'advice',
    title: 'Field that this version does not know',
    why: 'The server may speak a later version of the protocol; what the field says is not used.',
    source: 'facts 0.2',
  },
  'message-too-big': {
    group: 'limits',
    severity: 'violation',
    title: 'Message over 1 MiB',
    why: 'The server closes the connection with 1009, and whatever was being spoken is lost.',
    source: 'decision 5',
  },
  'lone-surrogate': {
    group: 'client',
    severity: 'warning',
    title: 'Half a character at the end of a text',
    why: 'An emoji or a rare sign was cut in two between text frames; each half arrives as an unreadable character.',
    source: 'RFC 6455, 5.6',
  },
  'connection-per-turn': {
    group: 'cost',
    severity: 'advice',
    title: 'A new connection for each turn',
    why: 'Opening a connection costs 100 to 500 ms before the first audio; one connection takes any number of turns.',
    source: 'facts 1.9, facts 6.3.14, seed',
  },
} as const satisfies Record<string, RuleEntry>;

export type SharedRuleId = keyof typeof SHARED_RULES;
