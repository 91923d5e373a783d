import { Fragment } from 'react';
import { bookPageOf } from '#protocol/book.ts';
import type { Rule } from '#protocol/core/rule.ts';

/** The statements of the protocol book that a rule follows from. */
const BookLinks = ({ anchors }: { anchors: readonly string[] }) =>
  anchors.map((anchor, at) => (
    <Fragment key={anchor}>
      {at > 0 && ', '}
      <a
        href={`protocols/${bookPageOf(anchor)}.html#${anchor}`}
        target="_blank"
        rel="noreferrer"
        className="rounded-inner font-mono underline decoration-border-strong underline-offset-4 hover:decoration-text"
      >
        {anchor}
      </a>
    </Fragment>
  ));

/** Why a rule demands what it does, where it belongs, and what it follows from. */
export const RuleReason = ({ why, group, anchors }: Pick<Rule, 'why' | 'group' | 'anchors'>) => (
  <>
    <p>{why}</p>
    <p className="mt-0.5 text-text-subtle">
      Rule of the group “{group}”, by <BookLinks anchors={anchors} />.
    </p>
  </>
);
