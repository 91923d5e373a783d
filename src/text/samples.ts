import { DEFAULT_SAMPLE, type SampleText } from './default-text.ts';

/** Sample texts, among them some that are hard to read aloud. */
export const SAMPLE_TEXTS: readonly SampleText[] = [
  DEFAULT_SAMPLE,
  {
    id: 'agent',
    title: "An agent's answer",
    language: 'en',
    text:
      'Good news, your parcel is already on its way. It left Rotterdam last night and should reach you tomorrow ' +
      'between ten and twelve. If nobody is home, the driver will leave it with your neighbour at number eighteen. ' +
      'Would you like me to choose a different day, or send it to a pick-up point instead?',
    profile: 'thinking',
  },
  {
    id: 'story',
    title: 'A short story',
    language: 'en',
    text:
      'The lighthouse keeper had not spoken to anyone since October. Then, one grey morning, a paper boat came in ' +
      'with the tide, and on its sail somebody had written a single word: "Listen."\n\n' +
      'So he listened. Behind the wind there was the sea, and behind the sea, very faint, there was an orchestra ' +
      'tuning its instruments. He put on his good coat, rowed out until the island was a pencil line, and took ' +
      'his seat. "You are late," whispered the cellist. "I know," he said. "I was waiting for the invitation."',
    profile: 'steady',
  },
  {
    id: 'figures',
    title: 'Prices, dates, names and times',
    language: 'en',
    text:
      'Your table for 4 is booked under Siobhan Nguyen-Müller for Saturday, 14 March 2026, at 7:45 p.m. The set ' +
      'menu is €38.50 per person, so the total comes to €154.00, and a deposit of 20% is due by 1 March. ' +
      'Parking costs £2.40 an hour. Please call 020 7946 0958 if you are running more than 15 minutes late.',
    profile: 'fast',
  },
  {
    id: 'tricky',
    title: 'Hard to read aloud',
    language: 'en',
    text:
      "Dr. Okafor lives at 221B St. James St., approx. 3.5 km from the A&E dept. of St. Mary's. She said, \"It's " +
      "12.50, isn't it?\", and e-mailed j.doe+news@example.com at 00:05. The well-read PhD won't read what I read " +
      'yesterday… The ratio is 3:2, not 3/2 – see § 4(b), No. 7, v2.0.1 etc. Well done! 🎉',
    profile: 'words',
  },
  {
    id: 'german',
    title: 'Deutsch: Im Zug',
    language: 'de',
    text:
      'Meine Damen und Herren, wir erreichen in Kürze Göttingen. Der Anschluss nach Kassel um 16:38 Uhr wartet heute ' +
      'auf Gleis 9. Wer noch Kaffee möchte: Im Bordbistro kostet die Tasse 3,40 Euro, und der Apfelkuchen ist ' +
      'ausnahmsweise noch warm.',
    profile: 'steady',
  },
  {
    id: 'french',
    title: 'Français : au marché',
    language: 'fr',
    text:
      'Bonjour ! Il me reste de très belles tomates, à trois euros vingt le kilo, et des pêches si mûres qu’il faut ' +
      'les manger ce soir. Vous voulez goûter ? Allez-y, servez-vous, c’est la maison qui offre.',
    profile: 'steady',
  },
  {
    id: 'spanish',
    title: 'Español: el pronóstico',
    language: 'es',
    text:
      'Buenos días. Hoy amanece con niebla en el valle, pero hacia las once saldrá el sol y llegaremos a los ' +
      'veintiséis grados. ¿Y mañana? Mañana, ¡por fin!, lloverá un poco en la costa.',
    profile: 'bursty',
  },
  {
    id: 'italian',
    title: 'Italiano: la ricetta',
    language: 'it',
    text:
      'Per quattro persone servono trecento grammi di spaghetti, due spicchi d’aglio e un peperoncino. Scaldate ' +
      'l’olio piano piano: l’aglio deve profumare, non bruciare. Perché? Perché poi diventa amaro, e nessuno ve lo ' +
      'perdona.',
    profile: 'steady',
  },
  {
    id: 'japanese',
    title: '日本語：朝の放送',
    language: 'ja',
    text: 'おはようございます。今日は三月十四日、土曜日です。午前中は晴れますが、夕方から雨になるでしょう。傘を忘れないでくださいね。',
    profile: 'steady',
  },
];
