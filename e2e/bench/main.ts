import { benchDifference } from './difference.ts';
import { benchFirstLoad } from './first-load.ts';
import { benchFleet } from './fleet.ts';
import { benchFrameHandling } from './frame-handling.ts';
import { benchFrames } from './frames.ts';
import { benchMainThreadBlock } from './main-thread-block.ts';
import { benchRelay } from './relay.ts';
import { benchServerContexts } from './server-contexts.ts';
import { benchServerLoad } from './server-load.ts';
import { benchServerMemory } from './server-memory.ts';
import { benchStage } from './stage.ts';
import { benchTextBuffer } from './text-buffer.ts';
import { benchTimeline } from './timeline.ts';
import { benchTraces } from './traces.ts';
import { benchWorklet } from './worklet.ts';

/**
 * `npm run bench [part …]`: all measurements, or the parts named. `against=DIRECTORY` names another built page, which
 * `load` loads in turn with this one.
 */
const PORT = 4193;

const AGAINST = 'against=';
const args = process.argv.slice(2);
const against = args.find((arg) => arg.startsWith(AGAINST))?.slice(AGAINST.length) ?? null;

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  traces: benchTraces,
  worklet: benchWorklet,
  text: benchTextBuffer,
  timeline: benchTimeline,
  handling: benchFrameHandling,
  load: () => benchFirstLoad(PORT, against),
  frames: () => benchFrames(PORT),
  stage: () => benchStage(PORT),
  block: () => benchMainThreadBlock(PORT),
  server: () => benchServerLoad(PORT),
  memory: () => benchServerMemory(PORT),
  relay: () => benchRelay(PORT),
  fleet: () => benchFleet(PORT),
  contexts: () => benchServerContexts(PORT),
  difference: () => benchDifference(PORT),
};

const asked = args.filter((arg) => !arg.startsWith(AGAINST));
const unknown = asked.filter((part) => !(part in PARTS));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part named ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.\n`,
  );
  process.exitCode = 1;
} else {
  for (const part of asked.length > 0 ? asked : Object.keys(PARTS)) await PARTS[part]?.();
}
