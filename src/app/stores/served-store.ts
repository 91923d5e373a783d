import { create } from 'zustand';
import type { Endpoint, EndpointId, Server } from '#protocol/core/endpoint.ts';

/** A recording that the page's server answers with, as a server of its endpoint. */
export interface ServedRecording extends Server {
  /** Null where the page does not offer it. */
  endpoint: EndpointId | null;
  /** Its id in this browser, and its name. */
  recording: string;
  name: string;
  /** Sentences about the parts that are not served. */
  notes: readonly string[];
}

/** The recordings that this page serves, or was opened with. They are gone with the page's server. */
export const useServed = create<{ all: readonly ServedRecording[] }>()(() => ({ all: [] }));

/** Returns a server of the endpoint, which may be a served recording; undefined for a typed address. */
export const serverOf = (endpoint: Endpoint, id: string | undefined): Server | undefined =>
  [...endpoint.servers, ...useServed.getState().all.filter((one) => one.endpoint === endpoint.id)].find(
    (server) => server.id === id,
  );
