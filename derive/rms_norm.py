"""Root-mean-square normalization over the feature axis.

Zhang & Sennrich, 2019, arXiv:1910.07467.

In PyTorch: torch.nn.RMSNorm(normalized_shape=D, weight=gamma, eps=eps)
In PyTorch: transformers.models.llama.modeling_llama.LlamaRMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.mistral.modeling_mistral.MistralRMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.mixtral.modeling_mixtral.MixtralRMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.qwen2.modeling_qwen2.Qwen2RMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.qwen3.modeling_qwen3.Qwen3RMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.qwen3_moe.modeling_qwen3_moe.Qwen3MoeRMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.phi3.modeling_phi3.Phi3RMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.deepseek_v3.modeling_deepseek_v3.DeepseekV3RMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.olmo2.modeling_olmo2.Olmo2RMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.gpt_oss.modeling_gpt_oss.GptOssRMSNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: transformers.models.t5.modeling_t5.T5LayerNorm(weight=gamma, variance_epsilon=eps)
In PyTorch: timm.layers.norm.RmsNorm(normalized_shape=D, weight=gamma, eps=eps)
"""

from lngen.language import Constant, Feature, Row, mean, sqrt


def rms_norm(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    ms = mean(x**2)
    xhat = x / sqrt(ms + eps)
    y = gamma * xhat
    return y
