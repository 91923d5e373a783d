import { count } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { type ChatRequest, MAX_QUESTION_CHARS } from '#text/chat/chat-request.ts';
import { contextIdOf } from '#text/script.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { keySlot, useKeys } from '../../stores/key-store.ts';
import { castOf, useScene } from '../../stores/scene-store.ts';
import { addressProblem, apiBase, normalBase } from '../../stores/server-address.ts';
import { type PageSettings, selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { useDialogue } from './dialogue.ts';

type LiveModel = Pick<PageSettings, 'liveModel'>;
type Keys = Pick<ReturnType<typeof useKeys.getState>, 'keys'>;

/** A key belongs to one address, so that it never reaches another. */
export const modelKeySlot = ({ liveModel }: LiveModel): string =>
  keySlot('live-model', normalBase(liveModel.base));

export const modelKey = (page: LiveModel, { keys }: Keys): string => keys[modelKeySlot(page)]?.trim() ?? '';

/** Returns the address of the model server, where it is valid. */
export const modelBase = ({ liveModel }: LiveModel): string => apiBase(liveModel.base, '/chat/completions');

export const modelTargetOf = (page: LiveModel, keys: Keys): Omit<ChatRequest, 'messages'> => ({
  base: modelBase(page),
  model: page.liveModel.model.trim(),
  key: modelKey(page, keys),
});

/** Returns why no model can be asked, and what to do; null where one can. */
export function modelObstacle({ liveModel }: LiveModel): string | null {
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
