import { linkedPorts } from '#lib/testing/linked-ports.ts';
import { serveCalls } from '#lib/worker-calls.ts';
import type { EntryBatch, EntrySource } from '#recordings/entry-source.ts';
import type { RecordEntry } from '#trace/entry.ts';
import type { Command, Report } from '../commands.ts';
import type { ReplayedRecording, ReplayView } from '../replay/replay-view.ts';
import { EndpointSession } from '../session.ts';
import { Sessions } from '../worker.ts';
import { World } from './world.ts';

const OUTPUT_RATE = 16_000;

/** Sessions in a world with an output, and the recordings worker's end of a port. */
export function worldOfSessions() {
  const reports: Report[] = [];
  const box: { sessions?: Sessions } = {};
  const world = new World(undefined, undefined, (options) => {
    box.sessions = new Sessions({ ...options, report: (report) => reports.push(structuredClone(report)) });
    // The world asks for one; what is tested is beside it.
    return new EndpointSession(options);
  });
  const { sessions } = box;
  if (!sessions) throw new Error('The world has opened no sessions.');
  const handle = (command: Command): void => sessions.handle(command);
  handle({
    type: 'target',
    target: { endpoint: 'kugel-stream', base: 'ws://server/prefix', key: '' },
    settings: { voice_id: 1071 },
  });
  world.attachPlayer();
  handle({ type: 'attachPlayer', port: {} as MessagePort, sampleRate: OUTPUT_RATE });
  handle({ type: 'anchor', anchor: { contextTimeS: 0, wallMs: world.nowMs, outputLatencyMs: 0 } });

  const asked: number[] = [];
  const [recordingsEnd, port] = linkedPorts();
  /** Why no batch can be read. */
  const disk: { problem: string | null } = { problem: null };
  /** @param batch serves the entries */
  const openWith = (batch: EntrySource['batch'], recording: Partial<ReplayedRecording>): void => {
    serveCalls(recordingsEnd, { batch });
    const address = 'ws://elsewhere/prefix/ws/tts/stream';
    handle({
      type: 'openReplay',
      recording: {
        id: 'r',
        name: 'A recording',
        endpoint: 'kugel-stream',
        address,
        durationUs: 0,
        ...recording,
      },
      port: port as unknown as MessagePort,
    });
  };
  const open = (entries: readonly RecordEntry[], batch = 5, answerMs = 1): void => {
    const serve = (from: number) =>
      new Promise<EntryBatch>((resolve, reject) => {
        asked.push(from);
        options.after(answerMs, () => {
          const part = entries.slice(from, from + batch);
          if (disk.problem !== null) reject(new Error(disk.problem));
          else resolve({ entries: part, isLast: from + part.length >= entries.length, tail: null });
        });
      });
    openWith(serve, { durationUs: entries.at(-1)?.atUs ?? 0 });
  };
  const options = world.environment;
  /** Lets time pass. Batches of entries come as promises, which resolve between two milliseconds. */
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1) {
      world.advance(1);
      for (let task = 0; task < 4; task += 1) await Promise.resolve();
    }
  };
  /** The last view of the replay; null once it is left. */
  const view = (): ReplayView | null => {
    const found = reports.findLast((report) => report.type === 'replay');
    return found?.type === 'replay' ? found.replay : null;
  };
  /** The stretches of sound since the last call: the loudest sample of each, and its length to 20 ms, edges included. */
  let heardTo = 0;
  const heard = (): [value: number, ms: number][] => {
    const stretches: [peak: number, samples: number][] = [];
    let wasSilent = true;
    for (const sample of world.heard.slice(heardTo)) {
      if (sample !== 0) {
        const [peak, samples] = (wasSilent ? null : stretches.pop()) ?? [0, 0];
        stretches.push([Math.max(peak, sample), samples + 1]);
      }
      wasSilent = sample === 0;
    }
    heardTo = world.heard.length;
    return stretches.map(([peak, samples]) => [
      Math.round(peak * 32_768),
      Math.round((samples / OUTPUT_RATE) * 50) * 20,
    ]);
  };
  const texts = (run: number | null): string[] =>
    reports.flatMap((report) =>
      report.type === 'update' && report.run === run
        ? (report.update.turns ?? []).map(({ text }) => text)
        : [],
    );
  return { world, advance, handle, open, openWith, disk, view, heard, asked, port, texts, reports };
}
