import { EXAMPLE_VOICES } from '#protocol/cartesia/endpoints.ts';

/** Voices that the vendor publishes: defaults and examples of its libraries and of agents, and others of its list. */
const PUBLISHED = {
  female: `
    Katie f786b574-daa5-4673-aa0c-cbe3e8534c02 Sarah 694f9389-aac1-45b6-b726-9d9369183238
    Sarah_Curious 794f9389-aac1-45b6-b726-9d9369183238 Tessa 6ccbfb76-1fc6-48f7-b71d-91ac6298247b
    Brooke e07c00bc-4134-4eae-9ea4-1a55fb45746b Skylar db6b0ed5-d5d3-463d-ae85-518a07d3c2b4
    Charlotte 71a7ad14-091c-4e8e-a314-022ece01c121 British_Lady 79a125e8-cd45-4c13-8a67-188112f4dd22
    Caroline f9836c6e-a0bd-460e-9d3c-f7299fa60f94 Jacqueline 9626c31c-bec5-4cca-baa8-f8ba9e84c8bc
    Tina 91b4cf29-5166-44eb-8054-30d40ecc8081 Emma f6ff7c0c-e396-40a9-a70b-f7607edb6937
    Daniela 5c5ad5e7-1020-476b-8b91-fdcbe9cc313c Elizabeth 248be419-c632-4f23-adf1-5324ed7dbf1d
    Sunny 156fb8d2-335b-4950-9cb3-a2d33befec77 Sierra b7d50908-b17c-442d-ad8d-810c63997ed9
    Callie 00a77add-48d5-4ef6-8157-71e5437b282d Daisy 32b3f3c5-7171-46aa-abe7-b598964aa793
    Riley 21b81c14-f85b-436d-aff5-43f2e788ecf8 Mary 5c42302c-194b-4d0c-ba1a-8cb485c84ab9
    Ruth 11af83e2-23eb-452f-956e-7fee218ccb5c Ariana ec1e269e-9ca0-402f-8a18-58e0e022355a
    Savannah 78ab82d5-25be-4f7d-82b3-7ad64e5b85b2 Sophie bf0a246a-8642-498a-9950-80c35e9276b5
    Allie 2747b6cf-fa34-460c-97db-267566918881 Lindsey a38e4e85-e815-43ab-acf1-907c4688dd6c
    Carol bf991597-6c13-47e4-8411-91ec2de5c466 Linda 829ccd10-f8b3-43cd-b8a0-4aeaa81f3b30
    Madison 02fe5732-a072-4767-83e3-a91d41d274ca Samantha f4e8781b-a420-4080-81cf-576331238efa`,
  male: `
    Greg a0e99841-438c-4a64-b679-ae501e7d6091 Grant d46abd1d-2d02-43e8-819f-51fb652c1c61
    Kiefer 228fca29-3a0a-435c-8728-5cb483251068 Blake a167e0f3-df7e-4d52-a9c3-f949145efdab
    Ronald 5ee9feff-1265-424a-9d7f-8e4d431a12c7 Kyle c961b81c-a935-4c17-bfb3-ba2239de8c2f
    Ben bbee10a8-4f08-4c5c-8282-e69299115055 Caleb b9cf5ec3-eaa4-46a5-a5b2-b0d0f22395a2
    Sheldon 39b376fc-488e-4d0c-8b37-e00b72059fdd Trevor c45bc5ec-dc68-4feb-8829-6e6b2748095d
    Sameer 638efaaa-4d0c-442e-b701-3fae16aad012 Tyler 820a3788-2b37-4d21-847a-b65d8a68c99a
    Miles f114a467-c40a-4db8-964d-aaba89cd08fa Clarence 41534e16-2966-4c6b-9670-111411def906
    Oliver ee7ea9f8-c0c1-498c-9279-764d6b56d189 Benedict 3c0f09d6-e0d7-499c-a594-70c5b7b93048
    Jake 729651dc-c6c3-4ee5-97fa-350da1f88600 Joey 34575e71-908f-4ab6-ab54-b08c95d6597d
    Theo 79f8b5fb-2cc8-479a-80df-29f7a7cf1a3e Daniel 47c38ca4-5f35-497b-b1a3-415245fb35e1
    Carson 86e30c1d-714b-4074-a1f2-1cb6b552fb49 Luke 7b2c0a2e-3dd3-4a44-b16b-26ecd8134279
    David da69d796-4603-4419-8a95-293bfc5679eb Steve 9fb269e7-70fe-4cbe-aa3f-28bdb67e3e84`,
  neutral: 'Eden 83ae58a1-7e97-4b94-b03f-e4cc0a10d8af',
};

/** The form of the vendor's voice ids: a UUID. */
export const VOICE_IDS = {
  exampleVoices: EXAMPLE_VOICES,
  published: PUBLISHED,
  form: (digest: Buffer): string =>
    digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
};
