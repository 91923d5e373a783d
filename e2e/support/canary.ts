import type { Page } from '@playwright/test';

/** A key that the local server takes, and that looks different in an address, in JSON and in base64. */
export const CANARY = 'ka_canary+42/Qx7"vK9"==';

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The canary as it looks in addresses, in JSON, in JSON within JSON, as hex, and in base64 at any place of the bytes. */
export const CANARY_FORMS: readonly string[] = [
  CANARY,
  encodeURIComponent(CANARY),
  inJson(CANARY),
  inJson(inJson(CANARY)),
  inJson(inJson(inJson(CANARY))),
  Buffer.from(CANARY).toString('hex'),
  // The first and last characters depend on what is beside the key.
  ...[0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(CANARY)])
      .toString('base64')
      .slice(before === 0 ? 0 : before + 1, -4),
  ),
];

/** Everywhere in the page that a key could be kept or shown, and that holds this one. */
export const placesHolding = (page: Page, canary: string): Promise<string[]> =>
  page.evaluate(async (key) => {
    const places = {
      local: JSON.stringify({ ...localStorage }),
      session: JSON.stringify({ ...sessionStorage }),
      html: document.documentElement.outerHTML,
      address: location.href,
      history: JSON.stringify(history.state),
      name: window.name,
      cookies: document.cookie,
      databases: JSON.stringify(await indexedDB.databases()),
      caches: JSON.stringify(await caches.keys()),
    };
    return Object.entries(places).flatMap(([place, content]) => (content.includes(key) ? [place] : []));
  }, canary);
