import type { Rule, RuleGroup, Severity } from '../core/rule.ts';

/** Rules as data: a vendor's book is a table of them by id, so that a page can list, group and explain them. */
type RuleEntry = Omit<Rule, 'id'>;
export type RuleBook<Id extends string = string> = Readonly<Record<Id, RuleEntry>>;

const ofSeverity =
  (severity: Severity) =>
  (title: string, source: string, { why }: Pick<Rule, 'why'>) => ({ severity, title, source, why });
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
    'not-json': violation('Text message that is not a JSON object', 'facts 1.3.1, facts 6.3.6, decision 5', {
      why: 'Every text message is one JSON object. The other side cannot use this one.',
    }),
    'new-field': advice('Field unknown to this version', 'facts 0.2', {
      why: 'The server may speak a later version of the protocol. Voicewire does not use the field.',
    }),
  }),
  ...inGroup('limits', {
    'message-too-big': violation('Message over 1 MiB', 'decision 5', {
      why: 'The server closes the connection with 1009, and unfinished speech is lost.',
    }),
  }),
  ...inGroup('client', {
    'lone-surrogate': warning('Half a character at the end of a text', 'RFC 6455, 5.6', {
      why: 'An emoji or a rare sign was split between two text frames. Each half arrives unreadable.',
    }),
    'language-script': warning('Text in a script that its language is not written in', 'facts 1.4', {
      why: 'Engines spell such a text letter by letter, or refuse it. Name its language, or none where that is allowed.',
    }),
  }),
  ...inGroup('cost', {
    'connection-per-turn': advice('A new connection for each turn', 'facts 1.9, facts 6.3.14, seed', {
      why: 'A new connection costs 100 to 500 ms before the first audio. One connection serves any number of turns.',
    }),
  }),
};

export type SharedRuleId = keyof typeof SHARED_RULES;
