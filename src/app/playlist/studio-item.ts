import { castOf, scriptOf, useScene } from '../stores/scene-store.ts';
import { selectDraft, selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { describedSettings, type ItemContent, itemProblem, itemProblemWords, titleOf } from './playlist.ts';
import { addNoted, noteRefusal } from './playlist-store.ts';

/** Returns an item with the endpoint and the set-up of the studio. @param text instead of the studio's own */
function studioItem(text?: string): ItemContent {
  const page = useSettings.getState();
  const scene = useScene.getState();
  const endpoint = selectEndpoint(page);
  const words = text ?? (endpoint.contexts ? scriptOf(scene) : selectDraft(page));
  return {
    title: titleOf(words),
    endpoint: endpoint.id,
    text: words,
    settings: { ...describedSettings(selectSettings(page), endpoint.settings) },
    cast: castOf(scene, endpoint).map(({ name, position, settings }) => ({
      name,
      position,
      settings: { ...describedSettings(settings, endpoint.contexts?.settings ?? []) },
    })),
  };
}

/** Adds what the studio would speak to the person's playlist. `AddedNote` says whether it was added. */
export function addStudioToDemo(): void {
  const item = studioItem();
  const problem = itemProblem(item);
  if (problem) noteRefusal(itemProblemWords(problem));
  else addNoted(item);
}

/** Returns an item for each line of a text, in the voice of the studio. On an endpoint with a cast, its first speaker's. */
export function lineItems(text: string): ItemContent[] {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.map((line) => {
    const item = studioItem(line);
    const [speaker] = item.cast;
    const isScript = item.cast.some(({ name }) => line.startsWith(`${name}:`));
    return speaker && !isScript ? { ...item, text: `${speaker.name}: ${line}` } : item;
  });
}
