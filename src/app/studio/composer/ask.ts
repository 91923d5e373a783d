import type { SessionClient } from '../../session-client/session-client.ts';
import { answeringNow, askProblem } from '../live-model/model-target.ts';

/**
 * Asks the live model, and speaks its answer. The question cuts off present speech.
 * @param text the question
 * @returns why it was not asked; null where it was
 */
export async function ask(client: SessionClient, text: string): Promise<string | null> {
  const context = answeringNow();
  const problem = askProblem(text);
  if (problem !== null || context === null) return problem;
  // The output opens in the gesture, which may be over once the code has loaded.
  client.sound.wake();
  const loaded = await import('../live-model/asking.ts').catch(() => null);
  if (!loaded) return 'A part of the page could not be loaded. Ask again.';
  loaded.sendQuestion(client, text.trim(), context);
  return null;
}
