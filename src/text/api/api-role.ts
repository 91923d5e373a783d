/** A use of OpenAI's API, in the words of the page. */
export interface ApiRole {
  /** Begins a sentence. */
  name: string;
  /** Of its requests, behind the base URL. */
  path: string;
}

/** The uses that the page has, by the name of their settings. */
export const API_ROLES = {
  liveModel: { name: 'The model server', path: '/chat/completions' },
  transcription: { name: 'The transcription server', path: '/audio/transcriptions' },
} as const satisfies Record<string, ApiRole>;

export type ApiRoleId = keyof typeof API_ROLES;
