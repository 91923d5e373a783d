import { benchDifference } from './difference.ts';
import { benchFirstLoad } from './first-load.ts';
import { benchFleet } from './fleet.ts';
import { benchFrameHandling } from './frame-handling.ts';
import { benchFrames } from './frames.ts';
import { benchLongRecordings } from './long-files.ts';
import { benchMainThreadBlock } from './main-thread-block.ts';
import { benchPageWork } from './page-work.ts';
import { benchPresenter } from './presenter.ts';
import { benchRelay } from './relay.ts';
import { type Parts, runParts } from './run-parts.ts';
import { benchServedTurns } from './served-turns.ts';
import { benchServerContexts } from './server-contexts.ts';
import { benchServerLoad } from './server-load.ts';
import { benchServerMemory } from './server-memory.ts';
import { benchTextBuffer } from './text-buffer.ts';
import { benchTimeline } from './timeline.ts';
import { benchTraces } from './traces.ts';
import { benchWords } from './words.ts';
import { benchWorklet } from './worklet.ts';

/**
 * `npm run bench [part …]`: all measurements, or the parts named. `against=DIRECTORY` names another built page, which
 * `load` loads in turn with this one. `human=DIRECTORY` names human speech with word times, which `words` measures too.
 */
const OPTIONS = ['against=', 'human='] as const;
const args = process.argv.slice(2);
const optionOf = (option: (typeof OPTIONS)[number]): string | null =>
  args.find((arg) => arg.startsWith(option))?.slice(option.length) ?? null;

const PARTS: Parts = {
  traces: benchTraces,
  worklet: benchWorklet,
  text: benchTextBuffer,
  timeline: benchTimeline,
  handling: benchFrameHandling,
  load: () => benchFirstLoad(optionOf('against=')),
  frames: () => benchFrames(),
  page: () => benchPageWork(),
  presenter: () => benchPresenter(),
  block: () => benchMainThreadBlock(),
  server: () => benchServerLoad(),
  memory: () => benchServerMemory(),
  relay: () => benchRelay(),
  served: benchServedTurns,
  files: benchLongRecordings,
  fleet: () => benchFleet(),
  contexts: () => benchServerContexts(),
  difference: () => benchDifference(),
  words: () => benchWords(optionOf('human=')),
};

process.exitCode = await runParts(
  PARTS,
  args.filter((arg) => !OPTIONS.some((option) => arg.startsWith(option))),
  (line) => process.stderr.write(line),
);
