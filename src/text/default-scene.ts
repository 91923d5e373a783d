interface SceneRole {
  name: string;
  /** A name in `exampleVoices` of an endpoint. */
  voice: string;
  /** Stereo position: -1 left, 0 middle, 1 right. */
  position: number;
}

export interface SampleScene {
  id: string;
  title: string;
  /** Something to notice or to do. */
  hint: string;
  script: string;
  /** Its lines are heard in turn. */
  cast: readonly SceneRole[];
}

/** The scene of a first visit: two speakers, a few seconds. The others in `scenes.ts` load later. */
export const DEFAULT_SCENE: SampleScene = {
  id: 'platform',
  title: 'Two on a platform',
  hint: 'Each line starts when the one before it has been heard, although it was made long before.',
  script: [
    'Marta: Is this the train to Vienna?',
    'Rupert: It was. That is it, just leaving the station.',
    'Marta: You said we had ten minutes.',
    'Rupert: We did. We spent them looking for the platform.',
  ].join('\n'),
  cast: [
    { name: 'Marta', voice: 'Marta', position: -0.4 },
    { name: 'Rupert', voice: 'Rupert', position: 0.4 },
  ],
};
