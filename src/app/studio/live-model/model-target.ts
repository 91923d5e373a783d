import { count } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { MAX_QUESTION_CHARS } from '#text/chat/chat-request.ts';
import { contextIdOf } from '#text/script.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { castOf, useScene } from '../../stores/scene-store.ts';
import { addressProblem } from '../../stores/server-address.ts';
import { type PageSettings, selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { useDialogue } from './dialogue.ts';

/** Returns why no model can be asked, and what to do; null where one can. */
export function modelObstacle({ liveModel }: Pick<PageSettings, 'liveModel'>): string | null {
  const problem = addressProblem(liveModel.base, 'http');
  if (problem !== null) return `The address of the model server cannot be used. ${problem}`;
  return liveModel.model.trim() === '' ? 'No model is chosen yet: press Model.' : null;
}

/** Returns the context that speaks the answers; null where the cast is empty. */
export function answeringContext(
  endpoint: Endpoint,
  scene: Pick<ReturnType<typeof useScene.getState>, 'cast'>,
  speaker: string | null,
): string | null {
  if (!endpoint.contexts) return '';
  const ids = castOf(scene, endpoint).map(({ name }) => contextIdOf(name));
  return (speaker !== null && ids.includes(speaker) ? speaker : ids[0]) ?? null;
}

/** Returns the context that would speak an answer now; null where the cast is empty. */
export const answeringNow = (): string | null =>
  answeringContext(
    selectEndpoint(useSettings.getState()),
    useScene.getState(),
    useDialogue.getState().speaker,
  );

/** Returns why a question cannot be asked now, and what to do; null where it can. */
export function askProblem(question: string): string | null {
  const page = useSettings.getState();
  const obstacle = obstacleOf(page, useKeys.getState()) ?? modelObstacle(page);
  if (obstacle !== null) return obstacle;
  if (answeringNow() === null) return 'The cast has no speaker who could answer.';
  if (question.trim() === '') return 'There is no question to ask.';
  return question.length > MAX_QUESTION_CHARS
    ? `The question has more than ${count(MAX_QUESTION_CHARS)} characters. Shorten it.`
    : null;
}
