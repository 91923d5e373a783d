import { settingsCheck } from '../../core/issue.ts';
import { settingsOf } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { audioFormatIssues } from './audio-format.ts';
import { generationShape, selectionIssues } from './generation.ts';

/** Limits and settings of `/ws/tts/multi` (`facts 3.1`). */

/** Live contexts of one connection (seed; `facts 3.3.1`). */
export const MAX_CONTEXTS = 20;

/** The server closes a context after this long without activity (seed; `facts 3.3.3`). */
export const IDLE_CONTEXT_MS = 20_000;

/** Settings of the whole connection, on any message, at the top level or inside `voice_settings` (seed). */
export const sessionShape = {
  model_id: generationShape.model_id,
  sample_rate: generationShape.sample_rate,
  output_format: generationShape.output_format,
  normalize: generationShape.normalize,
  language: generationShape.language,
  word_timestamps: generationShape.word_timestamps,
  dictionary_ids: generationShape.dictionary_ids,
  project_id: generationShape.project_id,
};

/** Settings of a context, bound at its creation (`facts 3.3.8`). These three belong in `voice_settings`. */
export const voiceShape = {
  voice_id: generationShape.voice_id,
  cfg_scale: generationShape.cfg_scale,
  max_new_tokens: generationShape.max_new_tokens,
};

/** Also bound at creation, but read at the top level only: `voice_settings` drops them (`facts 3.1`). */
export const deliveryShape = {
  speed: generationShape.speed,
  temperature: generationShape.temperature,
};

export const sessionSettings = settingsOf(sessionShape);
export const voiceSettings = settingsOf(voiceShape);
export const deliverySettings = settingsOf(deliveryShape);
/** All settings of a context, in either place of the frame. */
export const contextSettings = [...voiceSettings, ...deliverySettings];

export const sessionSettingIssues = settingsCheck(z.looseObject(sessionShape), sessionSettings, (config) => [
  ...audioFormatIssues(config),
  ...selectionIssues(config),
]);
export const contextSettingIssues = settingsCheck(
  z.looseObject({ ...voiceShape, ...deliveryShape }),
  contextSettings,
);
