import { benchTalkOver } from './stage/talk-over.ts';

/** What a demo on a stage depends on. */
export async function benchStage(): Promise<void> {
  await benchTalkOver();
}
