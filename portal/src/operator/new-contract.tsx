export const NewContractPage = () => null;
