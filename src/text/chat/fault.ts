import { count } from '#lib/format.ts';
import { type ApiFault, CHECK_BASE, apiFault as fault, quoted } from '../api/api-fault.ts';

/** Limits of one answer. A model server may send anything, and a person hears about 15 characters a second. */
export const MAX_ANSWER_CHARS = 20_000;
export const MAX_TOKEN_CHARS = 10_000;
/** Includes everything that is not spoken, such as the thoughts of a model. */
export const MAX_STREAM_BYTES = 8 * 1024 * 1024;

export const notAStream = (contentType: string): ApiFault =>
  fault(
    'This is no stream of chat completions',
    `The server answered with ${contentType === '' ? 'no content type' : quoted(contentType)} instead of text/event-stream.`,
    CHECK_BASE,
  );

export const reported = (message: string): ApiFault =>
  fault(
    'The model server reported an error',
    message === '' ? 'It gave no reason.' : quoted(message),
    'Text that came before is spoken. Look at its log, or ask again.',
  );

export const unreadable = (why: string): ApiFault =>
  fault(
    'The model server sent something that is no chat completion',
    quoted(why),
    'Text that came before is spoken. The server must send OpenAI chat completions as server-sent events.',
  );

export const cutOff = (): ApiFault =>
  fault(
    'The answer of the model broke off',
    'The connection to the model server ended before the end of the answer.',
    'Text that came before is spoken. Ask again for the rest.',
  );

export const empty = (): ApiFault =>
  fault(
    'The model answered nothing',
    'The answer ended without any text to speak.',
    'Ask again, or check the model. A model that only thinks needs a higher limit of tokens.',
  );

export const tooLong = (what: 'token' | 'answer' | 'stream'): ApiFault =>
  fault(
    'The answer of the model is too long',
    {
      token: `One token has more than ${count(MAX_TOKEN_CHARS)} characters.`,
      answer: `It has more than ${count(MAX_ANSWER_CHARS)} characters.`,
      stream: `Its stream has more than ${count(MAX_STREAM_BYTES)} bytes.`,
    }[what],
    'The rest was discarded; text that came before is spoken. Ask for a shorter answer.',
  );

export const lengthReached = (): ApiFault => ({
  severity: 'warning',
  title: 'The model stopped at its limit',
  detail: 'The model server ended the answer at its greatest number of tokens.',
  remedy: 'Ask for a shorter answer, or raise the limit of the server.',
});

export const thoughtsSpoken = (): ApiFault => ({
  severity: 'warning',
  title: 'Thoughts of the model were spoken',
  detail: 'It marked only their end.',
  remedy: 'Press Model, and switch on “Answers begin with thoughts”.',
});
