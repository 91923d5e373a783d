import { Equal, EqualNot } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { excerptOf } from '#lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Defined } from '../../ui/defined.tsx';
import { compareHeard, type HeardSplit, type HeardVerdict, heardByClock } from './heard-text.ts';
import { WordSourceNote } from './word-source.tsx';

const REST_CHARS = 160;

const VERDICTS: Readonly<Record<HeardVerdict, string>> = {
  same: 'both the same',
  serverMore: 'the server says more',
  serverLess: 'the server says less',
  different: 'the texts differ',
};

const DEFINITION =
  'The text of this turn that was heard when it was cut off: as the server says, and by the words that this page had played until then. Case, spaces and punctuation are not compared.';

interface HeardTextsProps {
  turn: Parameters<typeof heardByClock>[0];
  server: string;
  /** Another program played it, so that its clock is unknown here. */
  isOfClient: boolean;
}

/** What the server says was heard of a turn that was cut off, beside what was played here. */
export function HeardTexts({ turn, server, isOfClient }: HeardTextsProps) {
  const clock = useMemo(() => (isOfClient ? null : heardByClock(turn)), [turn, isOfClient]);
  const compared = compareHeard(server, clock?.text ?? server);
  const { verdict } = compared;
  return (
    <section
      aria-label="Heard text"
      className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-0.5 border-l border-border-strong pl-3 text-13 in-data-demo:hidden"
    >
      <Said by={<Defined definition={DEFINITION}>heard: server</Defined>} split={compared.server} />
      {clock ? (
        <Said by="our clock" split={compared.clock}>
          <span className="mr-3 text-12 text-text-subtle">
            <WordSourceNote source={clock.source} />
          </span>
          <Badge
            tone={verdict === 'same' ? 'neutral' : 'waiting'}
            icon={verdict === 'same' ? Equal : EqualNot}
          >
            {VERDICTS[verdict]}
          </Badge>
        </Said>
      ) : (
        <>
          <span className={BY}>our clock</span>
          <p className="text-text-muted">unknown, because another program played it</p>
        </>
      )}
    </section>
  );
}

const BY = 'text-right text-12 leading-5 text-text-subtle';

interface SaidProps {
  by: ReactNode;
  split: HeardSplit;
  /** Behind the text. */
  children?: ReactNode;
}

function Said({ by, split: { text, from, differsFrom }, children }: SaidProps) {
  const rest = text.slice(differsFrom);
  return (
    <>
      <span className={BY}>{by}</span>
      <p dir="auto" className="min-w-0 break-words text-text-muted">
        {text === '' ? (
          'nothing'
        ) : (
          <>
            {from > 0 && '… '}
            {text.slice(from, differsFrom)}
            {rest !== '' && (
              <strong className="font-semibold text-text">{excerptOf(rest, REST_CHARS)}</strong>
            )}
          </>
        )}
        {children && <span className="ml-3 inline-flex flex-wrap items-baseline">{children}</span>}
      </p>
    </>
  );
}
