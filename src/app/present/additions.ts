import { endpointOf } from '#protocol/registry.ts';
import type { StoredRecording } from '#recordings/store/database.ts';
import { recordingName } from '../recordings/recording-name.ts';
import { describedSettings } from '../settings/setting-value.ts';
import { castOf, scriptOf, useScene } from '../stores/scene-store.ts';
import { selectDraft, selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { useView } from '../stores/view-store.ts';
import { type ItemContent, itemProblem, itemProblemWords, MAX_TITLE_CHARS, titleOf } from './playlist.ts';
import { addItems, selectPlaylist, usePlaylists } from './playlist-store.ts';

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

/** Returns an item that replays a recording of this browser. */
export const recordingItem = (recording: StoredRecording): ItemContent => ({
  title: recordingName(recording).slice(0, MAX_TITLE_CHARS),
  endpoint: endpointOf(recording.endpoint).id,
  recording: recording.id,
  text: '',
  settings: {},
  cast: [],
});

/** Adds what the studio would speak to the person's playlist. `AddedNote` says whether it was added. */
export function addStudioToDemo(): void {
  const item = studioItem();
  const problem = itemProblem(item);
  if (problem) noteAdded(itemProblemWords(problem));
  else addNoted(item);
}

/** {@link addItems} from outside of the presenter: a note says whether it was added. */
export const addNoted = (item: ItemContent): void => noteAdded(addItems([item]));

function noteAdded(refusal: string | null): void {
  const playlist = selectPlaylist(usePlaylists.getState());
  useView.setState({
    added:
      refusal === null && playlist
        ? { place: playlist.items.length, playlist: playlist.name }
        : { refusal: refusal ?? 'There is no playlist.' },
  });
}
