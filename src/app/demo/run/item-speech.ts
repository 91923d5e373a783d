import type { Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { contextIdOf } from '#text/script.ts';
import type { ItemContent } from '../../playlist/playlist.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { withFields } from '../../settings/setting-value.ts';
import { castFrom, useScene } from '../../stores/scene-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { linesOf } from '../../studio/composer/lines.ts';

/** Puts the set-up of an item on the page. @param voice settings of a voice that replaces the item's own */
export function applyItem(item: ItemContent, voice: Settings | null): void {
  const page = useSettings.getState();
  const endpoint = endpointOf(item.endpoint);
  const settings = voice === null || endpoint.contexts ? item.settings : withFields(item.settings, voice);
  if (endpoint.contexts)
    useScene.getState().set({ cast: castFrom(item.cast, endpoint), listening: 'inTurn', chosen: null });
  useSettings.setState({
    endpoint: endpoint.id,
    settings: { ...page.settings, [endpoint.id]: settings },
  });
}

/** Speaks an item whose set-up is on the page. Needs a gesture, or one before on the page. */
export function speakItem(client: SessionClient, item: ItemContent): void {
  const cast = new Set(item.cast.map(({ name }) => contextIdOf(name)));
  const spoken = endpointOf(item.endpoint).contexts ? linesOf(item.text, cast) : item.text;
  client.speak(spoken, { kind: 'whole' });
}

/** Keeps the set-up of the studio while the presenter or an item of a playlist replaces it. */
export class StudioSetup {
  #restore: (() => void) | null = null;

  /** Keeps the set-up. Later calls do nothing, until it is restored. */
  keep(): void {
    if (this.#restore) return;
    const { endpoint, settings, source } = useSettings.getState();
    const { cast, listening, chosen } = useScene.getState();
    this.#restore = () => {
      useSettings.setState({ endpoint, settings, source });
      useScene.setState({ cast, listening, chosen });
    };
  }

  restore(): void {
    this.#restore?.();
    this.#restore = null;
  }
}
