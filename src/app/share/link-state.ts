import { deepEqual } from '#lib/deep-equal.ts';
import { endpointOf } from '#protocol/registry.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { keySlot, useKeys } from '../stores/key-store.ts';
import { plainServer } from '../stores/plain-server.ts';
import { castFrom, castOf, scriptOf, useScene } from '../stores/scene-store.ts';
import { normalBase } from '../stores/server-address.ts';
import {
  CUSTOM_SERVER,
  selectDraft,
  selectEndpoint,
  selectSettings,
  useSettings,
} from '../stores/settings-store.ts';
import type { LinkedServer, LinkedSession } from './link.ts';

export function linkedSession(): LinkedSession {
  const page = useSettings.getState();
  const scene = useScene.getState();
  const endpoint = selectEndpoint(page);
  return {
    endpoint: endpoint.id,
    server: plainServer(page),
    settings: selectSettings(page),
    text: endpoint.contexts ? scriptOf(scene) : selectDraft(page),
    source: page.source === 'simulated' ? page.simulation : null,
    cast: castOf(scene, endpoint).map(({ name, settings }) => ({ name, settings })),
  };
}

/**
 * Applies a link to the page. It sends nothing, and chooses the link's server only if that is the local one.
 * @returns the server that the user has to confirm, or null; and a function that restores the page
 */
export function applyLinked(session: LinkedSession): { server: LinkedServer | null; undo: () => void } {
  const page = useSettings.getState();
  const scene = useScene.getState();
  const endpoint = endpointOf(session.endpoint);
  const undo = () => {
    const { endpoint: id, servers, customBases, settings, source, simulation, sendWhileTyping, draft } = page;
    // A key that was typed for the link's address must not reach the previous one.
    if (useSettings.getState().customBases[endpoint.id] !== customBases[endpoint.id]) {
      useKeys.getState().setKey(keySlot(endpoint.id, CUSTOM_SERVER), '');
    }
    useSettings.setState({
      endpoint: id,
      servers,
      customBases,
      settings,
      source,
      simulation,
      sendWhileTyping,
      draft,
    });
    useScene.setState({ script: scene.script, cast: scene.cast, chosen: scene.chosen });
  };
  const { source } = session;
  useSettings.setState({
    endpoint: endpoint.id,
    settings: { ...page.settings, [endpoint.id]: session.settings },
    source: source ? 'simulated' : 'typed',
    sendWhileTyping: false,
    ...(source && { simulation: source }),
    ...(!endpoint.contexts && { draft: session.text }),
  });
  if (endpoint.contexts)
    scene.set({ script: session.text, cast: castFrom(session.cast, endpoint), chosen: null });
  return { server: proposed(session.server), undo };
}

function proposed(server: LinkedServer): LinkedServer | null {
  if (deepEqual(server, plainServer(useSettings.getState()))) return null;
  const isLocal = 'id' in server && isLocalServer(server.id);
  if (!isLocal) return server;
  if (HAS_LOCAL_SERVER) useSettings.getState().chooseServer(server.id);
  return null;
}

const isLocalServer = (id: string): boolean =>
  selectEndpoint(useSettings.getState()).servers.some(
    (server) => server.id === id && server.base === null && !server.path,
  );

/** Returns the host of a server, which the user sees before a key goes there. */
export function hostOf(server: LinkedServer): string {
  if ('address' in server) return new URL(server.address).host;
  const { servers } = selectEndpoint(useSettings.getState());
  const known = servers.find(({ id }) => id === server.id);
  return known?.base ? new URL(known.base).host : (known?.title ?? server.id);
}

/** Chooses the server of a link. A key for another custom address is removed. */
export function chooseLinkedServer(server: LinkedServer): void {
  const page = useSettings.getState();
  if ('id' in server) {
    page.chooseServer(server.id);
    return;
  }
  const { id } = selectEndpoint(page);
  if (normalBase(page.customBases[id] ?? '') !== server.address) {
    useKeys.getState().setKey(keySlot(id, CUSTOM_SERVER), '');
  }
  page.setCustomBase(server.address);
  page.chooseServer(CUSTOM_SERVER);
}
