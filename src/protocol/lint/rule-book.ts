import type { Rule, RuleGroup, Severity } from '../core/rule.ts';

/**
 * Rules as data: a vendor's book is a table of them by id, so that a page can list, group and explain them. Anchors are
 * separated by a blank.
 */
type RuleEntry = Omit<Rule, 'id'>;
export type RuleBook<Id extends string = string> = Readonly<Record<Id, RuleEntry>>;

const ofSeverity =
  (severity: Severity) =>
  (title: string, anchors: string, { why }: Pick<Rule, 'why'>) => ({
    severity,
    title,
    anchors: anchors.split(' '),
    why,
  });
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
    'not-json': violation('Text message that is not a JSON object', 'wire-message-1', {
      why: 'Every text message is one JSON object. The other side cannot use this one.',
    }),
    'new-field': advice('Field unknown to this version', 'wire-message-4', {
      why: 'The server may speak a later version of the protocol. Voicewire does not use the field.',
    }),
  }),
  ...inGroup('limits', {
    'message-too-big': violation('Message over 1 MiB', 'wire-limit-1', {
      why: 'The server closes the connection with 1009, and unfinished speech is lost.',
    }),
  }),
  ...inGroup('client', {
    'lone-surrogate': warning('Half a character at the end of a text', 'wire-message-6', {
      why: 'An emoji or a rare sign was split between two text frames. Each half arrives unreadable.',
    }),
    'language-script': warning('Text in a script that its language is not written in', 'wire-text-1', {
      why: 'Engines spell such a text letter by letter, or refuse it. Name its language, or none where that is allowed.',
    }),
  }),
  ...inGroup('cost', {
    'connection-per-turn': advice('A new connection for each turn', 'wire-turn-4', {
      why: 'A new connection costs 100 to 500 ms before the first audio. One connection serves any number of turns.',
    }),
  }),
};

export type SharedRuleId = keyof typeof SHARED_RULES;
