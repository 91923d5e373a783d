export interface SampleText {
  id: string;
  title: string;
  /** Language code of the settings. */
  language: string;
  text: string;
  /** Id of the simulation profile that suits the text. */
  profile: string;
}

/** The text of a first visit. The others in `samples.ts` load later. */
export const DEFAULT_SAMPLE: SampleText = {
  id: 'welcome',
  title: 'What this page does',
  language: 'en',
  text:
    'Hello, and welcome to Voicewire. You are hearing speech while it is still being made: each word lights up as ' +
    'it leaves your speakers, and the timeline below shows where the time went. Change the text, pick a voice, and ' +
    'press Speak again.',
  profile: 'steady',
};
