/**
 * Placeholder for the nonce in the built page. The server replaces it in each response. A page that still contains it
 * knows that another server serves it.
 */
export const NONCE_PLACEHOLDER = 'VOICEWIRE_PAGE_NONCE';
