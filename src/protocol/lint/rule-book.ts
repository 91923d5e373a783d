import type { Rule, RuleGroup, Severity } from '../core/rule.ts';

/** Rules as data: a vendor's book is a table of them by id, so that a page can list, group and explain them. */
type RuleEntry = Omit<Rule, 'id'>;
type RuleText = Pick<Rule, 'title' | 'why' | 'source'>;
export type RuleBook<Id extends string = string> = Readonly<Record<Id, RuleEntry>>;

const ofSeverity = (severity: Severity) => (text: RuleText) => ({ severity, ...text });
export const violation = ofSeverity('violation');
export const warning = ofSeverity('warning');
export const advice = ofSeverity('advice');

export const inGroup = <Id extends string>(
  group: RuleGroup,
  rules: Readonly<Record<Id, Omit<RuleEntry, 'group'>>>,
): RuleBook<Id> =>
  Object.fromEntries(
    Object.entries<Omit<RuleEntry, 'group'>>(rules).map(([id, rule]) => [id, { group, ...rule }]),
  ) as RuleBook<Id>;

export const rulesOf = (book: RuleBook): readonly Rule[] =>
  Object.entries(book).map(([id, entry]) => ({ id, ...entry }));

/** Rules of every endpoint. */
export const SHARED_RULES = {
  ...inGroup('shape', {
    'not-json': violation({
      title: 'Text message that is not a JSON object',
      why: 'Every text message is one JSON object. The other side cannot use this one.',
      source: 'facts 1.3.1, facts 6.3.6, decision 5',
    }),
    'new-field': advice({
      title: 'Field unknown to this version',
      why: 'The server may speak a later version of the protocol. Voicewire does not use the field.',
      source: 'facts 0.2',
    }),
  }),
  ...inGroup('limits', {
    'message-too-big': violation({
      title: 'Message over 1 MiB',
      why: 'The server closes the connection with 1009, and unfinished speech is lost.',
      source: 'decision 5',
    }),
  }),
  ...inGroup('client', {
    'lone-surrogate': warning({
      title: 'Half a character at the end of a text',
      why: 'An emoji or a rare sign was split between two text frames. Each half arrives unreadable.',
      source: 'RFC 6455, 5.6',
    }),
  }),
  ...inGroup('cost', {
    'connection-per-turn': advice({
      title: 'A new connection for each turn',
      why: 'A new connection costs 100 to 500 ms before the first audio. One connection serves any number of turns.',
      source: 'facts 1.9, facts 6.3.14, seed',
    }),
  }),
};

export type SharedRuleId = keyof typeof SHARED_RULES;
