import { largest } from '#lib/collections/arrays.ts';
import { milliseconds, roundedParts } from '#lib/format.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import { measureOf } from '#session/measures/definitions.ts';
import { measureRangeText } from '#session/measures/measure-text.ts';
import { measureOfPart } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { waitMsOf } from '#trace/wait.ts';
import { useRegionLabel, useSession } from '../../session-client/provider.tsx';
import { selectIsOfClient, trackOf } from '../../session-client/session-state.ts';
import { modelSpan, type SegmentName } from '../../session-client/timeline/turn-lanes.ts';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { measuredOf, type ReferenceBand, referenceBands } from './reference-bands.ts';

const WAIT = measureOf('waitMs');

/** Names of the parts that fit into one row beside each other. Their titles are in the explanations. */
const SHORT_NAMES: Readonly<Record<SegmentName, string>> = {
  model: 'Model',
  server: 'Server',
  firstAudioFrame: 'First audio',
  decode: 'Decoded',
  output: 'Output',
  startFloor: 'Prebuffer',
  inTurn: 'Its turn',
  firstSample: 'First sample',
  leadingSilence: 'Silence',
};

/** Opacity of the parts, which order and legend distinguish as well. */
const SHADES = [1, 0.8, 0.65, 0.5, 0.4, 0.3, 0.25];

/** The time of the model is an outline, because it is no part of the wait. */
const lookOf = (name: SegmentName): string =>
  cx('rounded-[2px]', name === 'model' ? 'border border-text-subtle' : 'bg-waiting-fill');

interface WaitStripProps {
  turn: TurnView;
  /** Called with the part under pointer or focus, or null. */
  onSegment?: (name: SegmentName | null) => void;
}

export function WaitStrip({ turn, onSegment }: WaitStripProps) {
  const label = useRegionLabel('Wait');
  const { wait, firstTextMs } = turn;
  if (!wait || wait.length === 0) return <NoWaitYet turn={turn} />;
  const rounded = roundedParts(wait.map((segment) => segment.ms));
  const model = modelSpan(turn);
  const startMs = model && firstTextMs !== null ? firstTextMs - model.fromMs : 0;
  const bands = referenceBands(wait, protocolOf(endpointOf(turn.endpoint)).publishedWaits, startMs);
  const waitMs = waitMsOf(wait);
  const scaleMs = largest(
    bands.map(({ mostMs }) => mostMs),
    Math.max(1, startMs + waitMs),
  );
  const share = (ms: number): string => `${(ms / scaleMs) * 100}%`;
  let beforeMs = startMs;
  const ofWait = wait.map(({ name, ms }, at) => {
    const fromMs = beforeMs;
    beforeMs += ms;
    return { name, ms, fromMs, shownMs: rounded[at] ?? 0, opacity: SHADES[at] ?? 0.25 };
  });
  const modelMs = model ? model.toMs - model.fromMs : 0;
  const ofModel = model && {
    name: 'model' as const,
    ms: modelMs,
    fromMs: 0,
    shownMs: Math.round(modelMs),
    opacity: 1,
  };
  const parts = ofModel ? [ofModel, ...ofWait] : ofWait;
  const pointedAt = (name: SegmentName) => ({
    onPointerEnter: () => onSegment?.(name),
    onPointerLeave: () => onSegment?.(null),
  });
  return (
    <section
      aria-label={label}
      className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-border px-4 py-2.5 wide:flex-nowrap wide:px-5"
    >
      {/* The presenter shows the sum in large type beside it. */}
      <div className="w-36 shrink-0 in-data-demo:hidden">
        <p className="font-mono text-20 leading-6">{milliseconds(Math.round(waitMs))}</p>
        <p className="text-12 text-text-subtle">
          <Defined definition={DEFINITIONS.wait}>first text to first audible</Defined>
        </p>
        {model && (
          <p className="text-12 text-text-subtle">
            <Defined className="text-left" definition={measureOf('askedToAudibleMs').definition}>
              <span className="font-mono text-text">{milliseconds(Math.round(startMs + waitMs))}</span> from
              the question
            </Defined>
          </p>
        )}
      </div>
      <div className="@container min-w-0 flex-1 basis-72">
        <div aria-hidden>
          <div className="relative h-2">
            {parts.map(({ name, ms, fromMs, opacity }) => (
              <span
                key={name}
                className={cx('absolute inset-y-0 min-w-0.5', lookOf(name))}
                style={{ opacity, left: share(fromMs), width: `max(2px, calc(${share(ms)} - 2px))` }}
                {...pointedAt(name)}
              />
            ))}
          </div>
          {bands.map((band) => (
            <Band key={band.published.title} band={band} share={share} />
          ))}
        </div>
        <dl className="mt-2 flex flex-wrap gap-x-3.5 gap-y-1 text-12">
          {parts.map(({ name, shownMs, opacity }) => {
            const measure = name === 'model' ? 'modelFirstTokenMs' : measureOfPart(name);
            const { title, definition } = measureOf(measure);
            return (
              <div key={name} className="flex min-w-0 items-baseline gap-x-1.5" {...pointedAt(name)}>
                <span aria-hidden className={cx('size-2 self-center', lookOf(name))} style={{ opacity }} />
                <dt className="truncate text-text-muted">
                  <Defined
                    definition={`${title}. ${definition}`}
                    onFocused={(isFocused) => onSegment?.(isFocused ? name : null)}
                  >
                    {SHORT_NAMES[name]}
                  </Defined>
                </dt>
                <dd className="font-mono whitespace-nowrap">{milliseconds(shownMs)}</dd>
              </div>
            );
          })}
          {bands.length > 0 && <Published bands={bands} turn={turn} />}
        </dl>
      </div>
    </section>
  );
}

function Band({ band, share }: { band: ReferenceBand; share: (ms: number) => string }) {
  const { fromMs, leastMs, mostMs } = band;
  return (
    <div className="relative mt-1 h-1">
      <span
        className="absolute inset-y-0 border-b border-dotted border-border-strong"
        style={{ left: share(fromMs), width: share(leastMs - fromMs) }}
      />
      <span
        className="absolute inset-y-0 min-w-1 rounded-[1px] border border-text-subtle"
        style={{ left: share(leastMs), width: share(mostMs - leastMs) }}
      />
    </div>
  );
}

/** The waits that the vendor publishes, in one explanation with the measured times between the same moments. */
function Published({ bands, turn }: { bands: readonly ReferenceBand[]; turn: TurnView }) {
  const { vendor } = endpointOf(turn.endpoint);
  const definitions = bands.map(({ published }) => {
    const { title, leastMs, mostMs, includes, source } = published;
    const here = measuredOf(turn.wait ?? [], published);
    const measured = here === null ? '' : ` Measured here: ${milliseconds(here)}.`;
    const range = measureRangeText(WAIT, leastMs, mostMs);
    return `${title}, ${range}: what ${vendor} publishes for ${includes}, until the first audio frame.${measured} Source: ${source}`;
  });
  return (
    <div className="flex min-w-0 items-baseline gap-x-1.5 @max-[640px]:hidden">
      <span aria-hidden className="h-1.5 w-2.5 self-center rounded-[1px] border border-text-subtle" />
      <dt className="text-text-subtle">
        <Defined definition={definitions.join(' ')}>Published</Defined>
      </dt>
      <dd className="sr-only">{definitions.join(' ')}</dd>
    </div>
  );
}

function NoWaitYet({ turn }: { turn: TurnView }) {
  const state = useSession(({ player }) => trackOf(player, turn.context).state);
  const isOfClient = useSession(selectIsOfClient);
  const over = !isUnderWay(turn) && (turn.samples === 0 || turn.silencedMs !== null || state === 'idle');
  return (
    <p className="flex min-h-12 items-center gap-2 border-b border-border px-4 text-12 text-text-subtle wide:px-5">
      {isOfClient ? (
        'The wait of a client ends at its own speakers, so it is unknown here. A replay of the recording measures one.'
      ) : over ? (
        'Nothing of this turn was heard, so there is no wait to take apart.'
      ) : (
        <>
          Waiting for the first audible sample
          {turn.firstTextMs !== null && <Elapsed sinceMs={turn.firstTextMs} />}
        </>
      )}
    </p>
  );
}
