import { createEspeakEngine } from '#server/speech/espeak/espeak-engine.ts';
import { labelledClips } from '../support/labelled-clips.ts';
import { benchFirstWord } from './presenter/first-word.ts';
import { benchLiveTalkOver } from './presenter/live-talk-over.ts';
import { benchPicture } from './presenter/picture.ts';
import { benchTalkOver } from './presenter/talk-over.ts';

/** The same clips each time. */
const SEED = 17;

/** Talking over the voice, its picture, and the light of its first word: a demo before people depends on all three. */
export async function benchPresenter(): Promise<void> {
  const engine = await createEspeakEngine();
  const clips = await labelledClips(engine, SEED).finally(() => engine.close());
  await benchTalkOver(clips);
  await benchLiveTalkOver(clips);
  await benchPicture();
  await benchFirstWord();
}
