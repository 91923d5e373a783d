import { madeOnce } from '#lib/collections/maps.ts';
import type { DialectTraits, Endpoint, EndpointId, Intent } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { MeasureId } from './definitions.ts';

/** The evidence of what an endpoint reports: its traits, and the events of its example turn. */
interface Shown {
  events: readonly SpeechEvent[];
  traits: DialectTraits;
  billing: Endpoint['billing'];
}

interface ServerReport {
  title: string;
  /** Those that need it. */
  measures: readonly MeasureId[];
  isGivenBy(shown: Shown): boolean;
}

const hasEvent =
  (matches: (event: SpeechEvent) => boolean) =>
  ({ events }: Shown): boolean =>
    events.some(matches);

/** Everything that only the server can report. */
const REPORTS: readonly ServerReport[] = [
  {
    title: 'start of a chunk',
    measures: ['serverMs'],
    isGivenBy: hasEvent((event) => event.type === 'chunkStarted' && !event.inferred),
  },
  {
    title: 'generation time',
    measures: ['rtf'],
    isGivenBy: hasEvent((event) => event.type === 'chunkCompleted' && event.generationMs !== null),
  },
  {
    title: 'word times',
    measures: ['wordLagMs', 'wordLeadMs'],
    isGivenBy: hasEvent(({ type }) => type === 'words'),
  },
  {
    title: 'confirmation of a cancel',
    measures: ['bargeInInterruptedMs', 'talkOverInterruptedMs'],
    isGivenBy: ({ traits }) => traits.cancel === 'confirmed',
  },
  { title: 'charge', measures: [], isGivenBy: ({ billing }) => billing !== 'none' },
];

const EXAMPLE_TEXT = 'One, two.';

function shownBy(id: EndpointId): Shown {
  const { contexts, initialSettings: settings, billing } = endpointOf(id);
  const context = contexts ? 'example' : ONLY_CONTEXT;
  const { open, exampleTurn } = protocolOf({ id });
  const dialect = open({ settings, key: '' });
  const sent: Intent[] = [
    { kind: 'open', settings },
    { kind: 'say', context, text: EXAMPLE_TEXT, ...(contexts && { opens: {} }) },
    { kind: 'endTurn', context },
  ];
  // A dialect may read answers by what it sent.
  for (const intent of sent) dialect.encode(intent);
  const events = exampleTurn(EXAMPLE_TEXT, context).flatMap((frame) => dialect.decode(frame));
  return { events, traits: dialect.traits, billing };
}

export interface Unreported {
  /** Measures that no turn of the endpoint has. */
  measures: ReadonlySet<string>;
  /** The missing reports, in words. */
  titles: readonly string[];
}

const known = new Map<EndpointId, Unreported>();

/** Returns the reports that no turn of an endpoint has under any settings. A single run may lack more. */
export const unreportedBy = (id: EndpointId): Unreported =>
  madeOnce(known, id, () => {
    const shown = shownBy(id);
    const missing = REPORTS.filter(({ isGivenBy }) => !isGivenBy(shown));
    return {
      measures: new Set(missing.flatMap(({ measures }) => measures)),
      titles: missing.map(({ title }) => title),
    };
  });
