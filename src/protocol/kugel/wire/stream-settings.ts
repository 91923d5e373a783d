import { settingsCheck } from '../../core/issue.ts';
import { integerSetting, numbersSetting, settingsOf, switchSetting } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { audioFormatIssues } from './audio-format.ts';
import { generationShape, MAX_TEXT_CHARS, selectionIssues } from './generation.ts';

/** Limits and settings of `/ws/tts/stream` (`facts 2.1`), and the settings of `/ws/tts` (`facts 4`). */

/** The server ends an open turn after this long without text (seed; `facts 2.3.10`). */
export const IDLE_TURN_MS = 5000;

export const chunkingShape = z.partial(
  z.object({
    chunk_length_schedule: numbersSetting(1, MAX_TEXT_CHARS, 32, {
      title: 'Schedule',
      group: 'Chunking',
      explanation: 'Characters to have before each chunk is spoken; the last value repeats.',
      fallback: [5, 80, 150, 250],
      unit: 'characters',
    }),
    auto_mode: switchSetting({
      title: 'Auto mode',
      group: 'Chunking',
      explanation: 'Starts at the first clean sentence boundary and ignores the schedule.',
      fallback: false,
    }),
    flush_timeout_ms: integerSetting(10, 60_000, {
      title: 'Flush time-out',
      group: 'Chunking',
      explanation: 'Speaks the buffered text after this long without new text; the turn stays open.',
      fallback: 500,
      unit: 'ms',
    }),
    max_buffer_length: integerSetting(1, MAX_TEXT_CHARS, {
      title: 'Longest buffer',
      group: 'Chunking',
      explanation: 'Characters at which buffered text is spoken in any case.',
      fallback: 1000,
      unit: 'characters',
    }),
  }),
).shape;
export const streamConfigShape = { ...generationShape, ...chunkingShape };

export const streamSettings = settingsOf(streamConfigShape);

export const ttsSettings = settingsOf(generationShape);

export const streamConfigIssues = settingsCheck(
  z.looseObject(streamConfigShape),
  streamSettings,
  (config) => [...audioFormatIssues(config), ...selectionIssues(config)],
);
