import type { Endpoint } from '#protocol/core/endpoint.ts';

/** Whether a context can be open without speaking. Otherwise each turn takes one of its own, which its text opens. */
export const keepsContexts = ({ contexts }: Pick<Endpoint, 'contexts'>): boolean =>
  contexts !== null && contexts.idleMs({}) !== null;
