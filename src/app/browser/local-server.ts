import { NONCE_PLACEHOLDER } from '#lib/page-nonce.ts';

/** Returns the nonce that the server put into this page. Browsers hide it from selectors, not from scripts. */
export const pageNonce = (): string | undefined => {
  const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
  return meta?.nonce || undefined;
};

/** Whether Voicewire's own server served this page and offers the protocols under its origin; a static host does not. */
export const HAS_LOCAL_SERVER = typeof document === 'undefined' || pageNonce() !== NONCE_PLACEHOLDER;

export const NO_LOCAL_SERVER = 'No local server runs here: choose another one.';
