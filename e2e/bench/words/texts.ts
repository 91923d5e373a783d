import { seededRandom } from '#lib/statistics/random.ts';

const PLAIN = `Hello there!
Good morning, how can I help you?
Please hold the line.
Your order has shipped.
The quick brown fox jumps over the lazy dog beside the old wooden fence.
She sells fresh bread and butter at the market every morning.
We have found three hotels near the station for you.
The doctor is ready to see you in room seven now.
Please call the office before noon to confirm your order.
If you would like to speak with an agent, press one; otherwise, stay on the line.
I am sorry, but I did not understand that. Could you say it again?
The weather in the north will be cold and windy tomorrow, with rain in the evening.
Once upon a time, in a small village by the sea, there lived an old fisherman who told stories to every child who passed.
Streaming speech means that the first words are heard while the last ones are still being computed.
No, really? That is wonderful news!
Turn left after the bridge, then right at the second light, and you will see it.
My grandmother's house was full of clocks, and none of them showed the right time.
The committee will meet again in autumn to decide about the new library, the school and the swimming pool.
Our team has reviewed the report, and we agree with most of its findings, although some questions remain open.
It was late, and the rain had stopped, but nobody wanted to go home.
Although the road was closed because of snow, the driver found a way through the forest and arrived before dawn.
This is a test of the emergency broadcast system, and it is only a test.
Nobody knew where the music came from, yet everyone began to dance.
Never mind, I will do it myself.
Open the window a little, please, it is rather warm in here.
The engine coughed twice, shook the whole car and finally fell silent.
He paused, looked around the room, and began to read the letter aloud.
Bring a warm coat, a pair of gloves and something to eat.
The museum opens early on weekdays but stays closed on Mondays during the winter season.
Large language models write text one piece at a time, and a voice that waits for the full answer would feel slow.`.split(
  '\n',
);

const FILLED = [
  'Your train to {city} leaves from platform {few}.',
  'Hello {name}, your appointment is on {day}.',
  'Flight {many} to {city} is delayed by {some} minutes; please wait near gate {few}.',
  '{name} and {name} met in {city} in the spring.',
  'Call {name} at extension {some} before {day}, or write to {name} instead.',
];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  city: ['Berlin', 'London', 'Chicago', 'Madrid', 'Toronto', 'Boston', 'Vienna', 'Dublin'],
  name: ['Alice', 'Catherine', 'Michael', 'Robert', 'Susan', 'Peter', 'Olivia'],
  day: ['Monday', 'Tuesday', 'Wednesday', 'Friday', 'Sunday'],
  few: ['2', '3', '5', '7', '9'],
  some: ['12', '25', '47', '60', '93'],
  many: ['101', '240', '500', '730'],
};

const filled = (text: string, random: () => number): string =>
  text.replace(/\{(\w+)\}/g, (_, kind: string) => {
    const words = WORDS[kind] ?? [];
    return words[Math.floor(random() * words.length)] ?? '';
  });

/** English texts: sentences, sentences with names and numbers, and texts of several sentences. */
export function benchTexts(): string[] {
  const random = seededRandom(7);
  const texts = [...PLAIN];
  for (let round = 0; round < 2; round += 1) texts.push(...FILLED.map((text) => filled(text, random)));
  const some = (): string => texts[Math.floor(random() * PLAIN.length)] ?? '';
  for (let round = 0; round < 5; round += 1)
    texts.push(Array.from({ length: 3 + Math.floor(random() * 6) }, some).join(' '));
  return texts;
}
