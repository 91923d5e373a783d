/**
 * Texts of the corpus by language: a greeting with a question, numbers in an enumeration, and a long sentence before a
 * short one.
 */
export const TEXTS: Readonly<Record<string, readonly [string, string, string]>> = {
  ar: [
    'مرحبا، كيف حالك اليوم؟ هل تريد أن نبدأ الآن؟',
    'لدينا ثلاثة كتب، وأربعة أقلام، وخمس أوراق. المجموع 12.',
    'عندما وصل القطار إلى المحطة في الصباح الباكر كانت المدينة لا تزال نائمة تحت المطر. ثم أشرقت الشمس.',
  ],
  bg: [
    'Добър ден, как сте днес? Искате ли да започнем?',
    'Купих хляб, мляко, сирене и 12 яйца за 25 лева.',
    'Когато влакът пристигна на гарата рано сутринта, градът още спеше под тихия дъжд. После изгря слънцето.',
  ],
  bn: [
    'নমস্কার, আপনি কেমন আছেন? আমরা কি শুরু করতে পারি?',
    'আমার কাছে তিনটি বই, চারটি কলম এবং ১২টি খাতা আছে।',
    'সকালে ট্রেন যখন স্টেশনে পৌঁছাল তখন শহরটা বৃষ্টির মধ্যে ঘুমিয়ে ছিল। তারপর সূর্য উঠল।',
  ],
  cs: [
    'Dobrý den, jak se dnes máte? Můžeme začít?',
    'Koupil jsem chleba, mléko, sýr a 12 vajec za 145 korun.',
    'Když vlak brzy ráno dorazil na nádraží, město ještě spalo pod tichým deštěm. Potom vyšlo slunce.',
  ],
  da: [
    'Goddag, hvordan har du det i dag? Skal vi begynde?',
    'Jeg købte brød, mælk, ost og 12 æg for 145 kroner.',
    'Da toget tidligt om morgenen nåede stationen, sov byen stadig under den stille regn. Så stod solen op.',
  ],
  de: [
    'Guten Tag, wie geht es Ihnen heute? Wollen wir anfangen?',
    'Auf der Liste stehen Brot, Milch, Käse und 12 Eier, zusammen 14,50 Euro.',
    'Als der Zug früh am Morgen den Bahnhof erreichte, schlief die Stadt noch unter dem leisen Regen, und niemand stand am Gleis. Dann ging die Sonne auf.',
  ],
  el: [
    'Καλημέρα, πώς είστε σήμερα; Να ξεκινήσουμε;',
    'Αγόρασα ψωμί, γάλα, τυρί και 12 αυγά με 25 ευρώ.',
    'Όταν το τρένο έφτασε νωρίς το πρωί στον σταθμό, η πόλη κοιμόταν ακόμη κάτω από τη βροχή. Μετά βγήκε ο ήλιος.',
  ],
  en: [
    'Hello, how are you today? Shall we begin?',
    'The list has bread, milk, cheese and 12 eggs, which comes to $14.50 in all.',
    'When the train reached the station early in the morning, the town was still asleep under a quiet rain, and nobody stood on the platform. Then the sun came up.',
  ],
  es: [
    'Buenos días, ¿cómo está usted hoy? ¿Empezamos?',
    'En la lista hay pan, leche, queso y 12 huevos, en total 14 euros.',
    'Cuando el tren llegó a la estación a primera hora de la mañana, la ciudad dormía todavía bajo la lluvia. Luego salió el sol.',
  ],
  fa: [
    'سلام، امروز حال شما چطور است؟ شروع کنیم؟',
    'من نان، شیر، پنیر و 12 تخم مرغ خریدم.',
    'وقتی قطار صبح زود به ایستگاه رسید شهر هنوز زیر باران آرام خوابیده بود. سپس خورشید طلوع کرد.',
  ],
  fi: [
    'Hyvää päivää, mitä teille kuuluu tänään? Aloitetaanko?',
    'Ostin leipää, maitoa, juustoa ja 12 munaa.',
    'Kun juna saapui varhain aamulla asemalle, kaupunki nukkui vielä hiljaisessa sateessa. Sitten aurinko nousi.',
  ],
  fr: [
    'Bonjour, comment allez-vous aujourd’hui ? On commence ?',
    'Sur la liste il y a du pain, du lait, du fromage et 12 œufs, soit 14 euros.',
    'Quand le train est arrivé à la gare tôt le matin, la ville dormait encore sous une pluie légère. Puis le soleil s’est levé.',
  ],
  he: [
    'שלום, מה שלומך היום? אפשר להתחיל?',
    'קניתי לחם, חלב, גבינה ו 12 ביצים.',
    'כשהרכבת הגיעה לתחנה מוקדם בבוקר העיר עדיין ישנה בגשם השקט. אחר כך זרחה השמש.',
  ],
  hi: [
    'नमस्ते, आज आप कैसे हैं? क्या हम शुरू करें?',
    'मैंने रोटी, दूध, पनीर और 12 अंडे खरीदे।',
    'जब सुबह जल्दी रेलगाड़ी स्टेशन पर पहुँची तब शहर बारिश में सो रहा था। फिर सूरज निकला।',
  ],
  hr: [
    'Dobar dan, kako ste danas? Možemo li početi?',
    'Kupio sam kruh, mlijeko, sir i 12 jaja.',
    'Kad je vlak rano ujutro stigao na kolodvor, grad je još spavao pod tihom kišom. Onda je izašlo sunce.',
  ],
  hu: [
    'Jó napot, hogy van ma? Kezdhetjük?',
    'Vettem kenyeret, tejet, sajtot és 12 tojást.',
    'Amikor a vonat kora reggel az állomásra ért, a város még aludt a csendes esőben. Aztán felkelt a nap.',
  ],
  id: [
    'Selamat pagi, apa kabar hari ini? Bisa kita mulai?',
    'Saya membeli roti, susu, keju, dan 12 telur.',
    'Ketika kereta tiba di stasiun pagi-pagi sekali, kota masih tidur di bawah hujan. Lalu matahari terbit.',
  ],
  it: [
    'Buongiorno, come sta oggi? Cominciamo?',
    'Sulla lista ci sono pane, latte, formaggio e 12 uova, in tutto 14 euro.',
    'Quando il treno arrivò alla stazione di primo mattino, la città dormiva ancora sotto la pioggia. Poi sorse il sole.',
  ],
  ja: [
    'こんにちは、お元気ですか。始めましょうか。',
    'パンと、牛乳と、チーズと、卵を12個買いました。',
    '朝早く電車が駅に着いたとき、町はまだ静かな雨の中で眠っていました。それから太陽が昇りました。',
  ],
  ko: [
    '안녕하세요, 오늘 어떠세요? 시작할까요?',
    '빵과 우유와 치즈와 달걀 12개를 샀습니다.',
    '아침 일찍 기차가 역에 도착했을 때 도시는 아직 조용한 비 속에서 자고 있었습니다. 그리고 해가 떴습니다.',
  ],
  ms: [
    'Selamat pagi, apa khabar hari ini? Boleh kita mula?',
    'Saya membeli roti, susu, keju dan 12 biji telur.',
    'Apabila kereta api tiba di stesen pada awal pagi, bandar itu masih tidur dalam hujan. Kemudian matahari terbit.',
  ],
  nl: [
    'Goedendag, hoe gaat het vandaag? Zullen we beginnen?',
    'Op de lijst staan brood, melk, kaas en 12 eieren, samen 14 euro.',
    'Toen de trein vroeg in de ochtend het station bereikte, sliep de stad nog onder de zachte regen. Toen kwam de zon op.',
  ],
  no: [
    'God dag, hvordan har du det i dag? Skal vi begynne?',
    'Jeg kjøpte brød, melk, ost og 12 egg.',
    'Da toget tidlig om morgenen kom til stasjonen, sov byen ennå under det stille regnet. Så stod solen opp.',
  ],
  pl: [
    'Dzień dobry, jak się pan dziś czuje? Zaczynamy?',
    'Kupiłem chleb, mleko, ser i 12 jajek.',
    'Kiedy pociąg wczesnym rankiem dotarł na stację, miasto jeszcze spało w cichym deszczu. Potem wzeszło słońce.',
  ],
  pt: [
    'Bom dia, como está hoje? Vamos começar?',
    'Na lista há pão, leite, queijo e 12 ovos, ao todo 14 euros.',
    'Quando o comboio chegou à estação de manhã cedo, a cidade ainda dormia sob a chuva. Depois nasceu o sol.',
  ],
  ro: [
    'Bună ziua, ce mai faceți astăzi? Începem?',
    'Am cumpărat pâine, lapte, brânză și 12 ouă.',
    'Când trenul a ajuns dimineața devreme în gară, orașul încă dormea sub ploaia liniștită. Apoi a răsărit soarele.',
  ],
  ru: [
    'Добрый день, как у вас сегодня дела? Начнём?',
    'Я купил хлеб, молоко, сыр и 12 яиц.',
    'Когда поезд рано утром прибыл на станцию, город ещё спал под тихим дождём. Потом взошло солнце.',
  ],
  sk: [
    'Dobrý deň, ako sa dnes máte? Môžeme začať?',
    'Kúpil som chlieb, mlieko, syr a 12 vajec.',
    'Keď vlak skoro ráno dorazil na stanicu, mesto ešte spalo pod tichým dažďom. Potom vyšlo slnko.',
  ],
  sl: [
    'Dober dan, kako ste danes? Lahko začnemo?',
    'Kupil sem kruh, mleko, sir in 12 jajc.',
    'Ko je vlak zgodaj zjutraj prispel na postajo, je mesto še spalo v tihem dežju. Potem je vzšlo sonce.',
  ],
  sr: [
    'Добар дан, како сте данас? Можемо ли да почнемо?',
    'Купио сам хлеб, млеко, сир и 12 јаја.',
    'Кад је воз рано ујутру стигао на станицу, град је још спавао под тихом кишом. Онда је изашло сунце.',
  ],
  sv: [
    'God dag, hur mår du i dag? Ska vi börja?',
    'Jag köpte bröd, mjölk, ost och 12 ägg.',
    'När tåget tidigt på morgonen kom fram till stationen sov staden fortfarande under det stilla regnet. Sedan gick solen upp.',
  ],
  ta: [
    'வணக்கம், இன்று எப்படி இருக்கிறீர்கள்? தொடங்கலாமா?',
    'நான் ரொட்டி, பால், முட்டை ஆகியவற்றை வாங்கினேன்.',
    'காலையில் ரயில் நிலையத்தை அடைந்தபோது நகரம் மழையில் உறங்கிக்கொண்டிருந்தது. பிறகு சூரியன் உதித்தது.',
  ],
  th: [
    'สวัสดีครับ วันนี้สบายดีไหม เริ่มกันเลยไหม',
    'ฉันซื้อขนมปัง นม ชีส และไข่ 12 ฟอง',
    'เมื่อรถไฟมาถึงสถานีตอนเช้าตรู่ เมืองยังหลับอยู่ใต้สายฝน แล้วดวงอาทิตย์ก็ขึ้น',
  ],
  tr: [
    'İyi günler, bugün nasılsınız? Başlayalım mı?',
    'Ekmek, süt, peynir ve 12 yumurta aldım.',
    'Tren sabah erkenden istasyona vardığında şehir hâlâ sessiz yağmurun altında uyuyordu. Sonra güneş doğdu.',
  ],
  uk: [
    'Добрий день, як у вас сьогодні справи? Почнемо?',
    'Я купив хліб, молоко, сир і 12 яєць.',
    'Коли потяг рано-вранці прибув на станцію, місто ще спало під тихим дощем. Потім зійшло сонце.',
  ],
  ur: [
    'السلام علیکم، آج آپ کیسے ہیں؟ کیا ہم شروع کریں؟',
    'میں نے روٹی، دودھ، پنیر اور 12 انڈے خریدے۔',
    'جب ریل گاڑی صبح سویرے اسٹیشن پر پہنچی تو شہر ابھی بارش میں سو رہا تھا۔ پھر سورج نکلا۔',
  ],
  vi: [
    'Xin chào, hôm nay bạn thế nào? Chúng ta bắt đầu nhé?',
    'Tôi đã mua bánh mì, sữa, phô mai và 12 quả trứng.',
    'Khi tàu đến ga vào sáng sớm, thành phố vẫn còn ngủ dưới cơn mưa lặng lẽ. Rồi mặt trời mọc.',
  ],
  yue: [
    '你好，今日點呀？我哋可以開始未？',
    '我買咗麵包、牛奶、芝士同十二隻雞蛋。',
    '火車一早到站嗰陣，個城市仲喺雨入面瞓緊覺。跟住太陽出嚟喇。',
  ],
  zh: [
    '你好，今天怎么样？我们开始吧？',
    '我买了面包、牛奶、奶酪和12个鸡蛋。',
    '清晨火车到站的时候，城市还在安静的雨中沉睡，站台上没有人。后来太阳出来了。',
  ],
};
