import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';

const ID_CHARS = 20;

/** Voices that the vendor publishes, today or in former versions of its library: defaults of libraries and agents. */
const PUBLISHED = {
  female: `
    Rachel 21m00Tcm4TlvDq8ikWAM Sarah EXAVITQu4vr4xnSDxMaL Laura FGY2WhTYpPnrIDTdsKH5 Alice Xb7hH8MSUJpSbSDYk0k2
    Matilda XrExE9yKIg1WjnnlVkGX Jessica cgSgspJ2msm6clMCkdW9 Bella hpp4J3VqNfWAUOO0d1Us Lily pFZP5JQG7iQjIQuC4Bku
    Aria 9BWtsMINqrJLrRacOk9x Charlotte XB0fDUnXU5powFXDhCwa Domi AZnzlk1XvdvUeBnXmlld
    Dorothy ThT5KcBeYPX3keUQqHPh Elli MF3mGyEYCl7XYWbV9V6O Emily LcfcDJNUP1GQjkzn1xUU Freya jsCqWAovK2LkecY7zXl4
    Gigi jBpfuIE2acCO8z3wKNLl Glinda z9fAnlkpzviPz146aGWa Grace oWAxZDx7w5VEj9dCyTzz Mimi zrHiDhphv9ZnVXBqCLjz
    Nicole piTKgcLEGmPE4e6mEKli Serena pMsXgVXv3BLzUgSXRplE`,
  male: `
    Adam pNInz6obpgDQGcFmaJgB Roger CwhRBWXzGAHq8TQ4Fs17 Charlie IKne3meq5aSn9XLyUdCD George JBFqnCBsd6RMkjVDRZzb
    Callum N2lVS1w4EtoT3dr4eOWO Harry SOYHLrjzK2X1ezoPC6cr Liam TX3LPaxmHKxFdv7VOQHJ Will bIHbv24MWmeRgasZH58o
    Eric cjVigY5qzO86Huf0OWal Chris iP95p4xoKVk53GoZ742B Brian nPczCjzI2devNBz1zQrb Daniel onwK4e9ZLuTAKqWW03F9
    Bill pqHfZKP75CvOlQylNhV4 Antoni ErXwobaYiN019PkySvjV Arnold VR6AewLTigWG4xSOukaG Clyde 2EiwWnXFnvU5JabPnv8n
    Dave CYw3kZ02Hs0563khs1Fj Drew 29vD33N1CtxCmqQRPOHJ Ethan g5CIjZEefAph4nQFvHAz Fin D38z5RcWu1voky8WS1ja
    Giovanni zcAOhNBS3c14rBihAFp1 James ZQe5CZNOzWyzPSCn5a3c Jeremy bVMeCyTHy58xNoL34h3p
    Jessie t0jbNlBVZ17f02VDIeMI Joseph Zlb1dXrM653N07WRdFW3 Josh TxGEqnHWrfWFTfGW9XjX Matthew Yko7PKs6WkR9MfaPvYfi
    Michael flq6f7yk4E4fJM5XTYuZ Patrick ODq5zmih8GrVes37Dizd Paul 5Q0t7uMcjvnagumLfvZi Sam yoZ06aMxZJJ28mfd3POQ
    Thomas GBv7mTt0atIp3Br8iCZE`,
  neutral: 'River SAz9YHcvj6GT2YYXdXww',
};

/** The form of the vendor's voice ids. */
export const VOICE_IDS = {
  exampleVoices: elevenLabsStream.exampleVoices,
  published: PUBLISHED,
  form: (digest: Buffer): string =>
    digest
      .toString('base64')
      .replace(/[^\dA-Za-z]/g, '')
      .slice(0, ID_CHARS),
};
